// Maps with more cells than there are pixels, made smaller: the largest weight of each block, so
// that no lone bright cell is lost, or the mean of what is visible.
//
// Shapes   weights [queries, keys] -> [rows, cols]; kMasked only where a whole block is masked.
// Threads  plain function.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

enum class Pool { kLargest, kMean };

// rows <= queries, cols <= keys; blocks differ by at most one cell in each direction.
[[nodiscard]] std::vector<float> PoolMap(std::span<const float> weights,
                                         std::int64_t queries,
                                         std::int64_t keys,
                                         std::int64_t rows,
                                         std::int64_t cols,
                                         Pool pool);

}  // namespace headscope
