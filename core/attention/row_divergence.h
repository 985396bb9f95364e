// How far two rows of weights lie apart: the Jensen-Shannon divergence, half of what each of them
// lies apart from their mean.
//
// Shapes   two rows of `count` weights.
// Units    nats, 0 to ln 2 for rows that sum to 1. Equal rows give exactly 0.
// Errors   none; weights are finite and not below 0.
// Threads  any.
// Cost     two logarithms and a division a cell, several cells at once.
// Source   Lin 1991. With m = (p + q) / 2 and t = (p - q) / (p + q) a cell gives
//          m ((1 + t) ln(1 + t) + (1 - t) ln(1 - t)) / 2, which is never below 0: nothing cancels
//          between cells, so that rows that are nearly alike keep their digits.
#pragma once

#include <cstdint>
#include <span>

namespace headscope {

// In float32, added up in double; its error is some 1e-6 of the result.
[[nodiscard]] double RowDivergence(const float* one, const float* two, std::int64_t count);

// The formula as it stands, in double.
[[nodiscard]] double RowDivergenceReference(std::span<const float> one, std::span<const float> two);

}  // namespace headscope
