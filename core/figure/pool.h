// Shrinks maps with more cells than there are pixels. Each block becomes its largest weight, so
// that no lone bright cell is lost, or the mean of its visible weights.
//
// Shapes   weights [queries, keys] -> [rows, cols]; kMasked only if a whole block is masked.
// Errors   kCancelled.
// Threads  rows of a view go to OpenMP's threads.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/map_view.h"
#include "core/base/error.h"

namespace headscope {

enum class Pool { kLargest, kMean };

// rows <= queries, cols <= keys; blocks differ by at most one cell in each direction.
[[nodiscard]] std::vector<float> PoolMap(std::span<const float> weights,
                                         std::int64_t queries,
                                         std::int64_t keys,
                                         std::int64_t rows,
                                         std::int64_t cols,
                                         Pool pool);

// Pools the map to [rows, cols] without ever holding all of it.
[[nodiscard]] Result<std::vector<float>> PooledMap(const MapView& view,
                                                   std::int64_t rows,
                                                   std::int64_t cols,
                                                   Pool pool,
                                                   const std::stop_token& stop);

}  // namespace headscope
