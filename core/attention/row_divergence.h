// How far two rows of weights differ: the Jensen-Shannon divergence, the mean of both rows'
// Kullback-Leibler divergences from their average.
//
// Shapes   two rows of `count` weights.
// Units    nats, 0 to ln 2 for rows that sum to 1. Equal rows give exactly 0.
// Errors   none; weights must be finite and not negative.
// Cost     two logarithms and a division per cell, several cells at once; if the rows' own sums are
//          known, one logarithm, except for nearly equal rows.
// Source   Lin 1991. With m = (p + q) / 2 and t = (p - q) / (p + q) a cell gives m ((1 + t) ln(1 +
//          t) + (1 - t) ln(1 - t)) / 2, which is never negative: nothing cancels between cells, so
//          that nearly equal rows keep their digits.
#pragma once

#include <cstdint>

namespace headscope {

// Computed in float32, summed in double; the error is about 1e-6 of the result.
[[nodiscard]] double RowDivergence(const float* one, const float* two, std::int64_t count);

// For rows that are each compared with several others. SumOfLogs is the sum of x ln x; its error is
// about 1e-7 of the sum. The divergence of two rows, or of several rows stored one after another,
// follows from their own sums: 1/2 (sum p ln p + sum q ln q) - sum m ln m, which cancels for
// similar rows. A result below a hundredth of their weight is computed as above instead; the error
// is about 1e-5 of the result.
[[nodiscard]] double SumOfLogs(const float* row, std::int64_t count);
[[nodiscard]] double RowDivergence(
    const float* one, const float* two, std::int64_t count, double sum_of_one, double sum_of_two);

}  // namespace headscope
