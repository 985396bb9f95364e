// Rows of weights of one head, all of a block at once: where each is largest, how even they are, how
// far they reach. A scan reads millions of short rows; what each would cost by itself (a call, a
// sum across lanes, cells left over) is more than its cells do.
//
// Shapes   a row is `count` cells from `offset` on, its visible keys in order.
// Units    entropy in nats, distance in tokens; added over the rows, in double.
// Errors   none; weights are finite and not below 0.
// Threads  any.
// Cost     sixteen cells at a time; entropies a logarithm a cell.
// Source   as core/attention/row_shape.h and row_entropy.h, which do it row by row.
#pragma once

#include <cstdint>
#include <span>

namespace headscope {

struct RowPlace {
  std::int64_t offset = 0;
  std::int32_t count = 0;
  std::int32_t query = 0;  // its own token, counted as the row's cells are
};

struct WeightRows {
  std::span<const float> cells;  // of the head; what follows may be read, and is not used
  std::span<const RowPlace> rows;
};

struct Peak {
  float most = 0.0F;        // the largest weight
  std::int32_t equals = 0;  // cells that have it
  std::int64_t cell = 0;    // the first of them, counted as `offset` is
};

// `peaks`: one for each row; of an empty one cell -1, and no equals.
void FindPeaks(const WeightRows& rows, std::span<Peak> peaks);

// The error is some 1e-7 of a nat a row.
[[nodiscard]] double SumOfEntropies(const WeightRows& rows);
[[nodiscard]] double SumOfDistances(const WeightRows& rows);

}  // namespace headscope
