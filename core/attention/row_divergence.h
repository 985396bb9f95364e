// How far two rows of weights lie apart: the Jensen-Shannon divergence, half of what each of them
// lies apart from their mean.
//
// Shapes   two rows of `count` weights.
// Units    nats, 0 to ln 2 for rows that sum to 1. Equal rows give exactly 0.
// Errors   none; weights are finite and not below 0.
// Threads  any.
// Cost     two logarithms and a division a cell, several cells at once; where the rows' own sums are
//          known, one logarithm, but for rows that are nearly alike.
// Source   Lin 1991. With m = (p + q) / 2 and t = (p - q) / (p + q) a cell gives
//          m ((1 + t) ln(1 + t) + (1 - t) ln(1 - t)) / 2, which is never below 0: nothing cancels
//          between cells, so that rows that are nearly alike keep their digits.
#pragma once

#include <cstdint>
#include <span>

namespace headscope {

// In float32, added up in double; its error is some 1e-6 of the result.
[[nodiscard]] double RowDivergence(const float* one, const float* two, std::int64_t count);

// Of rows that are each held against several others. SumOfLogs: the sum of x ln x; its error is some
// 1e-7 of the sum. The divergence of two rows, or of many that lie one after another, from their own
// sums: 1/2 (sum p ln p + sum q ln q) - sum m ln m, which cancels where they are alike. Where it is
// less than a hundredth of their weight they are measured as above; its error is some 1e-5 of it.
[[nodiscard]] double SumOfLogs(const float* row, std::int64_t count);
[[nodiscard]] double RowDivergence(
    const float* one, const float* two, std::int64_t count, double sum_of_one, double sum_of_two);

// The formula as it stands, in double.
[[nodiscard]] double RowDivergenceReference(std::span<const float> one, std::span<const float> two);

}  // namespace headscope
