// The eigenvalues of a symmetric matrix.
//
// Shapes   matrix [n, n], row-major; only the lower triangle is read.
// Threads  any.
// Cost     4/3 n^3 multiplications, then n^2.
// Source   Householder 1958 (to three diagonals), Francis 1961 (implicit QL steps).
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

// Ascending.
[[nodiscard]] std::vector<double> SymmetricEigenvalues(std::vector<double> matrix, std::int64_t n);

}  // namespace headscope
