// What a scan tells of heads by their weights alone: means under the ids of core/heads/measures, and
// whose writing keys read.
//
// Errors   what the backend returns; kCancelled. A model that has not what a number needs has none.
// Threads  the backend's.
// Cost     as core/heads/eigenvalue_copying.h, key_composition.h, previous_heads.h and
//          token_maps.h.
#pragma once

#include <span>
#include <stop_token>
#include <string>

#include "core/base/error.h"
#include "core/heads/scan.h"
#include "core/heads/token_maps.h"
#include "core/model/forward.h"

namespace headscope {

struct WeightProbes {
  std::span<const std::string> texts =
      {};  // repeats are drawn from, where heads are to be found first
  std::span<const WordPairs> token_maps = {};
};

// Once for a whole scan.
[[nodiscard]] Status AddWeightMeans(Forward* forward,
                                    const WeightProbes& probes,
                                    const std::stop_token& stop,
                                    BatchSums* sums);

}  // namespace headscope
