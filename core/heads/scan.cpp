#include "core/heads/scan.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "core/heads/measure.h"
#include "core/heads/norm_means.h"
#include "core/heads/probe_input.h"
#include "core/heads/row_reader.h"
#include "core/heads/statistics.h"
#include "core/model/observer_list.h"

namespace headscope {
namespace {

constexpr std::int64_t kRunTokens = 1024;  // of texts side by side

// A sequence and its control.
std::size_t UnitSize(const ProbeCorpus& corpus, std::size_t sequence) {
  const bool has_control =
      sequence + 1 < corpus.sequences.size() && corpus.sequences[sequence + 1].is_control;
  return has_control ? 2 : 1;
}

// The runs of a batch, each of texts of one length.
class BatchRun {
 public:
  BatchRun(Forward* forward,
           const ProbeCorpus& corpus,
           const ScanTools& tools,
           const std::stop_token& stop)
      : forward_(*forward), corpus_(corpus), tools_(tools), stop_(stop) {}

  // Those that show what heads add run apart: it takes the whole of the model, and more time.
  Status Run(std::span<const std::size_t> places) {
    std::vector<std::size_t> plain;
    std::vector<std::size_t> shown;
    const bool shows = tools_.effect != nullptr || tools_.norms != nullptr;
    for (std::size_t i = 0; i < places.size();) {
      std::vector<std::size_t>& to = shows && IsCopyText(corpus_, places[i]) ? shown : plain;
      const std::size_t end = i + UnitSize(corpus_, places[i]);
      for (; i < end; ++i) {
        to.push_back(places[i]);
      }
    }
    HEADSCOPE_TRY(RunSome(plain, false));
    return RunSome(shown, true);
  }

  Result<BatchSums> Take() {
    if (has_samples_) {
      const Result<CopyRanks> ranks = tools_.effect->TestRanks({}, stop_);
      HEADSCOPE_TRY(ranks);
      AddRanks(*ranks, &sums_.copies);
    }
    return std::move(sums_);
  }

 private:
  Status RunSome(std::span<const std::size_t> places, bool shows) {
    if (places.empty()) {
      return {};
    }
    const ModelDescription& model = forward_.model().description();
    std::vector<const ProbeSequence*> texts;
    for (const std::size_t place : places) {
      texts.push_back(&corpus_.sequences[place]);
    }
    std::vector<bool> keeps;
    for (const std::size_t place : places) {
      keeps.push_back(
          tools_.sequences && !corpus_.sequences[place].is_control &&
          KeepsSequence(corpus_, place, static_cast<std::size_t>(model.layers * model.heads)));
    }
    RowReader rows(texts, corpus_.groups.size(), model.layers, model.heads, std::move(keeps));
    WordReader words(corpus_, places, tools_.counts, model.layers, model.heads);
    std::vector<LayerObserver*> readers = {&rows};
    if (!tools_.counts.empty()) {
      readers.push_back(&words);
    }
    std::vector<std::pair<std::string, std::unique_ptr<RunReader>>> measures;
    for (const HeadMeasure& measure : AllMeasures()) {
      auto reader = tools_.measures && measure.reader
                        ? measure.reader({texts, model.layers, model.heads})
                        : nullptr;
      if (reader != nullptr) {
        readers.push_back(reader.get());
        measures.emplace_back(measure.id, std::move(reader));
      }
    }
    std::optional<PairReader> pairs;
    if (tools_.measures && model.heads >= 2 && model.heads <= kMostPairedHeads) {
      readers.push_back(&pairs.emplace(texts, model.layers, model.heads));
    }
    if (shows && tools_.effect != nullptr) {
      tools_.effect->Begin(CopyTextsOf(corpus_, places), stop_);
      readers.push_back(tools_.effect);
    }
    if (shows && tools_.norms != nullptr) {
      const bool is_causal = model.layer.front().rule.causal;
      tools_.norms->Begin(NormTextsOf(corpus_, places, is_causal), stop_);
      readers.push_back(tools_.norms);
    }
    ObserverList all(readers);
    HEADSCOPE_TRY(forward_.Run(InputOf(texts), model.layers - 1, &all, stop_));
    AddSums(rows.sums(), &sums_.rows);
    for (SequenceMeans& one : rows.TakeSequences()) {
      one.place = places[one.place];
      sums_.sequences.push_back(std::make_shared<const SequenceMeans>(std::move(one)));
    }
    std::ranges::move(words.TakeCases(), std::back_inserter(sums_.pairs));
    if (words.has_trees()) {
      words.AddTreesTo(&sums_.means["tree_score"]);
    }
    for (const auto& [id, reader] : measures) {
      reader->AddTo(&sums_.means[id]);
    }
    if (pairs) {
      AddHeadPairs(pairs->sums(), &sums_.head_pairs);
      AddMeans({{"layer_divergence", pairs->means()}}, &sums_.means);
    }
    if (shows) {
      AddShown(places);
    }
    return {};
  }

  void AddShown(std::span<const std::size_t> places) {
    if (tools_.effect != nullptr) {
      has_samples_ = true;
      for (std::size_t text = 0; text < places.size(); ++text) {
        AddEffects(tools_.effect->Take(text), &sums_.copies);
      }
    }
    if (tools_.norms != nullptr) {
      for (const NormSums& text : tools_.norms->Take()) {
        AddNorms(text, forward_.model().description().heads, &sums_.means);
      }
    }
  }

  Forward& forward_;
  const ProbeCorpus& corpus_;
  const ScanTools& tools_;
  std::stop_token stop_;
  BatchSums sums_;
  bool has_samples_ = false;
};

std::optional<double> Ratio(double sum, std::int64_t count) {
  return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
}

}  // namespace

std::vector<ScanBatch> CutBatches(const ProbeCorpus& corpus, std::int64_t batch_tokens) {
  std::vector<std::size_t> units;
  for (std::size_t i = 0; i < corpus.sequences.size(); ++i) {
    if (!corpus.sequences[i].is_control) {
      units.push_back(i);
    }
  }
  std::ranges::stable_sort(
      units, {}, [&](std::size_t unit) { return corpus.sequences[unit].tokens(); });
  std::vector<ScanBatch> batches;
  std::int64_t tokens = batch_tokens;
  for (const std::size_t unit : units) {
    if (tokens >= batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    for (std::size_t i = unit; i < unit + UnitSize(corpus, unit); ++i) {
      batches.back().push_back(i);
      tokens += corpus.sequences[i].tokens();
    }
  }
  return batches;
}

Result<BatchSums> RunBatch(Forward* forward,
                           const ProbeCorpus& corpus,
                           const ScanTools& tools,
                           const ScanBatch& batch,
                           const std::stop_token& stop) {
  BatchRun run(forward, corpus, tools, stop);
  for (std::size_t begin = 0; begin < batch.size();) {
    const std::int64_t length = corpus.sequences[batch[begin]].tokens();
    std::size_t end = begin;
    while (end < batch.size() && corpus.sequences[batch[end]].tokens() == length &&
           (end == begin || static_cast<std::int64_t>(end - begin) * length < kRunTokens)) {
      end += UnitSize(corpus, batch[end]);
    }
    HEADSCOPE_TRY(run.Run(std::span(batch).subspan(begin, end - begin)));
    begin = end;
  }
  return run.Take();
}

HeadScore ScoreOf(const MetricSums& sums, const HeadMetric& metric, std::size_t head) {
  HeadScore score;
  if (sums.rows == 0) {
    return score;
  }
  const HeadSums& own = sums.heads[head];
  score.rows = sums.rows;
  score.sequences = sums.sequences;
  score.score = Ratio(own.score, sums.rows);
  score.chance = Ratio(own.chance, sums.rows);
  score.control = Ratio(own.control, sums.control_rows);
  if (metric.targets) {
    score.hits = Ratio(own.hits, sums.rows);
  }
  if (sums.sequences > 1) {
    score.error = StandardError(own.mean, own.mean_square, static_cast<double>(sums.sequences));
  }
  return score;
}

HeadScore LeastScore(const GroupSums& groups, const HeadMetric& metric, std::size_t head) {
  HeadScore least;
  for (const MetricSums& group : groups) {
    const HeadScore score = ScoreOf(group, metric, head);
    if (score.score && (!least.score || *score.score < *least.score)) {
      least = score;
    }
  }
  return least;
}

}  // namespace headscope
