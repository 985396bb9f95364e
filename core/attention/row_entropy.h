// How evenly a row of weights is spread: its entropy.
//
// Shapes   a row of weights that sum to 1.
// Units    nats, 0 to ln(count).
// Errors   none; weights are finite and not below 0.
// Threads  any.
// Cost     a logarithm a cell, several cells at once.
// Source   Shannon 1948.
#pragma once

#include <span>

namespace headscope {

// In float32, added up in double; its error is some 1e-7 of a nat.
[[nodiscard]] double RowEntropy(std::span<const float> row);

// The formula as it stands, in double.
[[nodiscard]] double RowEntropyReference(std::span<const float> row);

}  // namespace headscope
