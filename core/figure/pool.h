// Maps with more cells than there are pixels, made smaller: the largest weight of each block, so
// that no lone bright cell is lost, or the mean of what is visible.
//
// Shapes   weights [queries, keys] -> [rows, cols]; kMasked only where a whole block is masked.
// Errors   kCancelled.
// Threads  plain functions; rows of a view go to OpenMP's threads.
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

// The map pooled to [rows, cols], without ever holding it whole.
[[nodiscard]] Result<std::vector<float>> PooledMap(const MapView& view,
                                                   std::int64_t rows,
                                                   std::int64_t cols,
                                                   Pool pool,
                                                   const std::stop_token& stop);

}  // namespace headscope
