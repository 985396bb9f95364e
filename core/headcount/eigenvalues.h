// The eigenvalues of a symmetric matrix, by Eigen.
//
// Shapes   matrix [n, n], row-major; only the lower triangle is read.
// Errors   none: of a matrix with NaN or infinity all are NaN.
// Threads  any.
// Cost     4/3 n^3 multiplications, then n^2.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

// Ascending.
[[nodiscard]] std::vector<double> SymmetricEigenvalues(const std::vector<double>& matrix,
                                                       std::int64_t n);

}  // namespace headscope
