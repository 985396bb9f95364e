// Finds the heads of one text whose maps are most like a given head's.
//
// Units    nats: the mean over rows of the Jensen-Shannon divergence, 0 to ln 2.
// Errors   kCancelled.
// Threads  any but the one that draws.
// Cost     at most 64 rows of every head, evenly spaced in the text; longer rows take longer.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct AlikeHead {
  HeadIndex head;
  double divergence = 0.0;
  friend bool operator==(const AlikeHead&, const AlikeHead&) = default;
};

// Returns at most `most` rows, evenly spaced, out of those that see two keys or more.
[[nodiscard]] std::vector<std::int64_t> RowsToCompare(const LayerAttention& layer,
                                                      std::int64_t most);

// Returns at most `most` heads, the nearest first, from layers of the head's part and shape. Rows
// that see one key are left out: they are the same in every head.
[[nodiscard]] Result<std::vector<AlikeHead>> MostAlike(
    std::span<const std::shared_ptr<const LayerAttention>> layers,
    HeadIndex head,
    std::size_t most,
    const std::stop_token& stop);

}  // namespace headscope
