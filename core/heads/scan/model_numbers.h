// What models are compared by beside the scores of their heads: how well they predict the texts of a
// scan, and how far their heads write into the same directions.
//
// Units    loss: nats a token. Overlap: core/heads/measure/subspace_overlap.h, the mean over the layers
//          of the first part.
// Threads  plain values.
// Source   docs/reference.md, "Across head counts".
#pragma once

#include <cstdint>
#include <optional>

#include "core/base/mean_of_runs.h"
#include "core/heads/measure/subspace_overlap.h"

namespace headscope {

inline constexpr std::int64_t kMostLossTexts = 60;

// What a model does not have is left out.
struct ModelNumbers {
  std::optional<MeanOfRuns> loss = {};  // over texts
  bool is_of_repeats = false;           // of the second of two equal blocks; else of sentences
  std::optional<SubspaceOverlap> overlap = {};
};

}  // namespace headscope
