// Who goes with whom at the least cost in all: the exact answer to the assignment problem.
//
// Shapes   costs [rows, cols], row-major, finite; the smaller side is matched wholly.
// Errors   kCancelled.
// Threads  any.
// Cost     min(rows, cols)^2 max(rows, cols) steps at most; holds a few numbers a row and column.
// Source   shortest augmenting paths: Jonker and Volgenant 1987; Crouse 2016.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"

namespace headscope {

inline constexpr std::int64_t kUnmatched = -1;

// The column of each row, kUnmatched where there are more rows than columns. Of assignments that
// cost the same the one that leaves row i with column i is taken, where that is one of them.
[[nodiscard]] Result<std::vector<std::int64_t>> LeastAssignment(std::span<const double> costs,
                                                                std::int64_t rows,
                                                                std::int64_t cols,
                                                                const std::stop_token& stop = {});

}  // namespace headscope
