// Scores of every head over a corpus: the batches it is cut into, what one of them adds up to, and
// the scores that follow from the sums.
//
// Shapes   heads of all layers one after another: layer x heads + head.
// Errors   what the forward returns; kCancelled.
// Threads  RunBatch: the backend's; the rest any.
// Cost     one forward over the corpus, texts of one length side by side; no map is kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/copy_sums.h"
#include "core/heads/effect/output_norms.h"
#include "core/heads/measure/head_means.h"
#include "core/heads/measure/head_pairs.h"
#include "core/heads/measure/head_score.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/row_sums.h"
#include "core/heads/measure/sequence_means.h"
#include "core/heads/measure/word_cases.h"
#include "core/heads/probe/probe.h"
#include "core/model/forward.h"

namespace headscope {

// Sequences by their place in the corpus, in the order of their lengths; a control after the
// sequence that it is of. The same for every machine and share.
using ScanBatch = std::vector<std::size_t>;
inline constexpr std::int64_t kBatchTokens = 2048;
[[nodiscard]] std::vector<ScanBatch> CutBatches(const ProbeCorpus& corpus,
                                                std::int64_t batch_tokens = kBatchTokens);
[[nodiscard]] std::int64_t TokensOf(const ProbeCorpus& corpus, const ScanBatch& batch);

// All that is added up of a batch: of the whole model's heads, or of an encoder's.
struct BatchSums {
  ScanSums rows;
  KeptSequences sequences;      // that are kept by themselves
  std::vector<PairCase> pairs;  // of annotated texts
  CopyTotals copies;            // of some of the texts
  MeanTotals means;
  HeadPairs head_pairs;
  // [head]: of which earlier one its keys read most (core/heads/effect/key_composition.h), by its place; -1:
  // none; empty: it was not asked.
  std::vector<std::int64_t> key_writers;
  // Why a measure could not be made, by its id.
  std::map<std::string, std::string, std::less<>> why_not;
  std::vector<BatchSums> more;  // of an encoder-decoder: the decoder's, and cross-attention's

  void Add(const BatchSums& other) {
    AddSums(other.rows, &rows);
    sequences.insert(sequences.end(), other.sequences.begin(), other.sequences.end());
    pairs.insert(pairs.end(), other.pairs.begin(), other.pairs.end());
    AddHeads(other.copies, &copies);
    AddMeans(other.means, &means);
    AddHeadPairs(other.head_pairs, &head_pairs);
    key_writers = key_writers.empty() ? other.key_writers : key_writers;
    why_not.insert(other.why_not.begin(), other.why_not.end());
    more.resize(std::max(more.size(), other.more.size()));
    for (std::size_t part = 0; part < other.more.size(); ++part) {
      more[part].Add(other.more[part]);
    }
  }
};
// `counts`: of the corpus's words; null or none: relations are not asked for. `effect` and `norms`: of the
// forward; null: effects on logits and what heads add are not. `measures`: whether those are that
// compare heads with one another, and texts of a run, which depend on what is run side by side.
// `sequences`: whether sequences are kept by themselves, for draws of them.
struct ScanTools {
  const WordCounts* counts = nullptr;
  CopyEffect* effect = nullptr;
  OutputNorms* norms = nullptr;
  bool measures = false;
  bool sequences = false;
  // What the decoder reads of each sequence (core/heads/probe/target.h); null: its heads and those of
  // cross-attention are not scanned.
  const ProbeCorpus* targets = nullptr;
  LayerObserver* beside = nullptr;  // sees the same runs
};
[[nodiscard]] Result<BatchSums> RunBatch(Forward* forward,
                                         const ProbeCorpus& corpus,
                                         const ScanTools& tools,
                                         const ScanBatch& batch,
                                         const std::stop_token& stop);

}  // namespace headscope
