// Scores of every head over a corpus: the batches it is cut into, what one of them adds up to, and
// the scores that follow from the sums.
//
// Shapes   heads of all layers one after another: layer x heads + head.
// Errors   what the forward returns; kCancelled.
// Threads  ScanBatch: the backend's; the rest any.
// Cost     one forward over the corpus, texts of one length side by side; no map is kept.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/metric.h"
#include "core/heads/probe.h"
#include "core/heads/row_sums.h"
#include "core/heads/word_cases.h"
#include "core/model/forward.h"

namespace headscope {

// Sequences by their place in the corpus, in the order of their lengths; a control after the
// sequence that it is of. The same for every machine and share.
using ScanBatch = std::vector<std::size_t>;
[[nodiscard]] std::vector<ScanBatch> CutBatches(const ProbeCorpus& corpus);

// All that is added up of a batch.
struct BatchSums {
  ScanSums rows;
  std::vector<PairCase> pairs;  // of annotated texts

  void Add(const BatchSums& other) {
    AddSums(other.rows, &rows);
    pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
  }
};
// `counts`: of the corpus's words.
[[nodiscard]] Result<BatchSums> RunBatch(Forward* forward,
                                         const ProbeCorpus& corpus,
                                         const WordCounts& counts,
                                         const ScanBatch& batch,
                                         const std::stop_token& stop);

// What stands with a score; numbers that do not exist are none.
struct HeadScore {
  std::optional<double> score;
  std::optional<double> error;    // standard error of the sequences' own means
  std::optional<double> chance;   // what even attention gives
  std::optional<double> control;  // the metric's own
  std::optional<double> hits;     // share of the rows whose largest weight is on a key that counts
  std::int64_t rows = 0;
  std::int64_t sequences = 0;
};

// Of one group.
[[nodiscard]] HeadScore ScoreOf(const MetricSums& sums, const HeadMetric& metric, std::size_t head);
// Of all of them: the group with the least score.
[[nodiscard]] HeadScore LeastScore(const GroupSums& groups,
                                   const HeadMetric& metric,
                                   std::size_t head);

}  // namespace headscope
