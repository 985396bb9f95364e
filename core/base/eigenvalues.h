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

// How many directions n vectors have: exp of the entropy of the shares that eigenvalues have of the
// matrix of their cosines. 1: all have one direction; n: all are at right angles.
// `products`: of each two of them, [n, n]; the lower triangle is read.
[[nodiscard]] double EffectiveCount(std::vector<double> products, std::int64_t n);

}  // namespace headscope
