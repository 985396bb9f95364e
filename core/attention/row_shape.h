// Where a row of weights is largest, and how far from its query it reaches.
//
// Shapes   a row of weights, its visible keys in order.
// Errors   none; weights are finite and not below 0.
// Threads  any.
// Cost     a few cells at once: rows of tens of cells are read by the million.
// Source   Voita 2019, 5 (the largest weight); Vig and Belinkov 2019 (distance).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace headscope {

// The place of the largest weight, the first of equals; 0 of an empty row.
[[nodiscard]] std::size_t RowPeak(std::span<const float> row);

// The sum over i of row[i] |query - i|, where `query` is counted as the row's cells are. In double.
[[nodiscard]] double RowDistance(std::span<const float> row, std::int64_t query);

// The sum over i of one[i] other[i], in double. Rows of one length.
[[nodiscard]] double RowProduct(std::span<const float> one, std::span<const float> other);

}  // namespace headscope
