// What parts of a scan are of, and what they add up to.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/digest.h"
#include "core/heads/scan/part.h"

namespace headscope {
ScanAbout DescribeScan(const Model& model, const ProbeCorpus& corpus) {
  ScanAbout about;
  about.model = model.name();
  about.fingerprint = model.fingerprint();
  about.probe = corpus.probe;
  about.draw = corpus.draw;
  about.seed = corpus.seed;
  Digest digest;
  for (const ProbeSequence& sequence : corpus.sequences) {
    digest.Add(static_cast<std::uint64_t>(sequence.ids.size()));
    for (const std::int32_t id : sequence.ids) {
      digest.Add(static_cast<std::uint64_t>(id));
    }
    about.sequences += sequence.is_control ? 0 : 1;
  }
  about.corpus = digest.Text();
  const ModelDescription& description = model.description();
  const std::vector<ModelPart> parts = PartsOf(description);
  about.heads = {parts.front(), description.layers, description.heads};
  for (const ModelPart part : std::span(parts).subspan(1)) {
    const StackDescription& stack = StackOf(description, part);
    about.more_heads.push_back({part, stack.layers, stack.heads});
  }
  about.groups = corpus.groups;
  about.notes = corpus.notes;
  about.batches = std::ssize(CutBatches(corpus));
  return about;
}

Status MergePart(ScanPart from, const std::string& name, ScanPart* to) {
  if (!(from.about == to->about)) {
    return Fail(ErrorCode::kInput,
                fmt::format("{}: a part of another scan (model {}, probe {}, {}), expected model "
                            "{}, probe {}, {} with the same draw and seed",
                            name,
                            from.about.model,
                            from.about.probe,
                            Counted(from.about.sequences, "sequence"),
                            to->about.model,
                            to->about.probe,
                            Counted(to->about.sequences, "sequence")));
  }
  to->done.merge(from.done);
  return {};
}

Result<BatchSums> TotalOf(const ScanPart& part, std::int64_t twin) {
  BatchSums total;
  const std::int64_t first = twin * part.about.batches;
  for (std::int64_t batch = first; batch < first + part.about.batches; ++batch) {
    const auto found = part.done.find(batch);
    if (found == part.done.end()) {
      return Fail(ErrorCode::kInput,
                  fmt::format("{} of {} batches are there, batch {} is missing; give every part of "
                              "the scan",
                              part.done.size(),
                              part.about.batches * (1 + part.about.twins),
                              batch));
    }
    total.Add(found->second);
  }
  return total;
}

ScanAbout AboutPart(const ScanAbout& about, std::size_t part) {
  ScanAbout own = about;
  own.heads = about.more_heads[part];
  own.more_heads.clear();
  return own;
}

namespace {

void Raise(const HeadsOfScan& heads, const BatchSums& twin, std::vector<double>* highest) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  highest->resize(metrics.size(), 0.0);
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    for (std::size_t head = 0; head < heads.count(); ++head) {
      const HeadScore score = LeastScore(twin.rows[metric], metrics[metric], head);
      (*highest)[metric] = std::max((*highest)[metric], score.score.value_or(0.0));
    }
  }
}

}  // namespace

void RaiseToTwin(const ScanAbout& about, const BatchSums& twin, TwinScores* scores) {
  Raise(about.heads, twin, &scores->highest);
  scores->more.resize(twin.more.size());
  for (std::size_t part = 0; part < twin.more.size(); ++part) {
    Raise(about.more_heads[part], twin.more[part], &scores->more[part]);
  }
}

Result<TwinScores> TwinScoresOf(const ScanPart& part) {
  TwinScores scores;
  for (std::int64_t twin = 1; twin <= part.about.twins; ++twin) {
    HEADSCOPE_TRY(const auto total, TotalOf(part, twin));
    RaiseToTwin(part.about, total, &scores);
  }
  return scores;
}

}  // namespace headscope
