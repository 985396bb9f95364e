// Matches rows with columns at the least total cost: the exact solution of the assignment problem.
//
// Shapes   costs [rows, cols], row-major, finite; the smaller side is matched completely.
// Errors   kCancelled.
// Cost     min(rows, cols)^2 max(rows, cols) steps at most; holds a few numbers per row and column.
// Source   shortest augmenting paths: Jonker and Volgenant 1987; Crouse 2016.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"

namespace headscope {

inline constexpr std::int64_t kUnmatched = -1;

// Returns the column of each row, kUnmatched for rows left over. If several assignments cost the
// same and one of them leaves row i with column i, that one is chosen.
[[nodiscard]] Result<std::vector<std::int64_t>> LeastAssignment(std::span<const double> costs,
                                                                std::int64_t rows,
                                                                std::int64_t cols,
                                                                const std::stop_token& stop = {});

}  // namespace headscope
