// Products of rows of weights: of each row of a layer's heads with each earlier one and with
// itself.
//
// Shapes   rows [heads, stride], of which the first `count` cells are read: a multiple of
//          kCellsOfProduct. sums: the lower triangle with its diagonal, one (one + 1) / 2 + two.
// Cost     heads^2 / 2 multiplications per cell, in double.
// Source   used for EffectiveHeads (core/heads/measure/head_pairs.h).
#pragma once

#include <cstdint>
#include <span>

namespace headscope {

inline constexpr std::int64_t kCellsOfProduct = 4;
inline constexpr std::int64_t kRowsOfProduct = 4;

struct RowsOfHeads {
  const float* rows = nullptr;
  std::int64_t heads = 0;
  std::int64_t stride = 0;
  std::int64_t count = 0;
};

// Adds the products of at most kRowsOfProduct heads from `one` on, each with all heads up to
// itself.
void AddProducts(const RowsOfHeads& heads, std::int64_t one, std::span<double> sums);

}  // namespace headscope
