// The singular values of matrices, by LAPACK.
//
// Shapes   matrix [rows, cols], left [n, width], right [m, width], all row-major.
// Errors   none: all values are NaN where a matrix holds NaN or infinity.
// Cost     of a matrix with side s some 3 s^3 multiplications; of a product (n + m) width^2 more.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

// Descending, min(rows, cols) of them.
[[nodiscard]] std::vector<double> SingularValues(std::vector<double> matrix,
                                                 std::int64_t rows,
                                                 std::int64_t cols);

// Of left right^T, whose rank is at most its width: min(n, m, width) values, descending. The rest are
// 0.
[[nodiscard]] std::vector<double> ProductSingularValues(std::span<const double> left,
                                                        std::span<const double> right,
                                                        std::int64_t width);

}  // namespace headscope
