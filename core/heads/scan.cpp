#include "core/heads/scan.h"

#include <algorithm>

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

// Texts of one length of a batch, as one run.
Status RunTexts(Forward* forward,
                const ProbeCorpus& corpus,
                const WordCounts& counts,
                std::span<const std::size_t> places,
                BatchSums* sums,
                const std::stop_token& stop) {
  const ModelDescription& model = forward->model().description();
  std::vector<const ProbeSequence*> texts;
  ForwardInput input{.ids = {}, .embeddings = {}};
  input.texts = std::ssize(places);
  for (const std::size_t place : places) {
    const ProbeSequence& sequence = corpus.sequences[place];
    texts.push_back(&sequence);
    input.ids.insert(input.ids.end(), sequence.ids.begin(), sequence.ids.end());
    if (!sequence.segment_ids.empty()) {
      // Texts without segments stand beside those with: all of theirs are 0.
      input.segment_ids.resize(input.ids.size() - sequence.ids.size());
      input.segment_ids.insert(
          input.segment_ids.end(), sequence.segment_ids.begin(), sequence.segment_ids.end());
    }
  }
  if (!input.segment_ids.empty()) {
    input.segment_ids.resize(input.ids.size());
  }
  RowReader rows(texts, corpus.groups.size(), model.layers, model.heads);
  WordReader words(corpus, places, counts, model.layers, model.heads);
  std::vector<LayerObserver*> readers = {&rows};
  if (!counts.empty()) {
    readers.push_back(&words);
  }
  ObserverList all(readers);
  HEADSCOPE_TRY(forward->Run(input, model.layers - 1, &all, stop));
  AddSums(rows.sums(), &sums->rows);
  std::ranges::move(words.TakeCases(), std::back_inserter(sums->pairs));
  return {};
}

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
  BatchSums sums;
  for (std::size_t begin = 0; begin < batch.size();) {
    const std::int64_t length = corpus.sequences[batch[begin]].tokens();
    std::size_t end = begin;
    while (end < batch.size() && corpus.sequences[batch[end]].tokens() == length &&
           (end == begin || static_cast<std::int64_t>(end - begin) * length < kRunTokens)) {
      end += UnitSize(corpus, batch[end]);
    }
    HEADSCOPE_TRY(RunTexts(
        forward, corpus, tools.counts, std::span(batch).subspan(begin, end - begin), &sums, stop));
    begin = end;
  }
  std::vector<std::size_t> copies;
  for (const std::size_t place : batch) {
    if (tools.effect != nullptr && IsCopyText(corpus, place)) {
      copies.push_back(place);
    }
  }
  if (!copies.empty()) {
    HEADSCOPE_TRY(RunCopies(forward, corpus, copies, tools.effect, stop, &sums.copies));
  }
  return sums;
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
