// The eigenvalues of square matrices, by LAPACK.
//
// Shapes   matrix [n, n], row-major.
// Errors   none: of a matrix with NaN or infinity all are NaN.
// Threads  any.
// Cost     symmetric: 4/3 n^3 multiplications, then n^2; any other: 10 n^3.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace headscope {

// Ascending; only the lower triangle is read.
[[nodiscard]] std::vector<double> SymmetricEigenvalues(std::vector<double> matrix, std::int64_t n);

// In no order.
[[nodiscard]] std::vector<std::complex<double>> Eigenvalues(std::vector<double> matrix,
                                                            std::int64_t n);

// How many directions n vectors have: exp of the entropy of the shares that eigenvalues have of the
// matrix of their cosines. 1: all have one direction; n: all are at right angles.
// `products`: of each two of them, [n, n]; the lower triangle is read.
[[nodiscard]] double EffectiveCount(std::vector<double> products, std::int64_t n);

}  // namespace headscope
