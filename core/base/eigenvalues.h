// The eigenvalues of square matrices, by LAPACK.
//
// Shapes   matrix [n, n], row-major.
// Errors   none: all eigenvalues are NaN where the matrix holds NaN or infinity.
// Cost     symmetric: 4/3 n^3 multiplications, then n^2; any other: 10 n^3.
#pragma once

#include <complex>
#include <cstdint>
#include <vector>

namespace headscope {

// Ascending; only the lower triangle is read.
[[nodiscard]] std::vector<double> SymmetricEigenvalues(std::vector<double> matrix, std::int64_t n);

// In no particular order.
[[nodiscard]] std::vector<std::complex<double>> Eigenvalues(std::vector<double> matrix,
                                                            std::int64_t n);

// The effective number of directions of n vectors: exp of the entropy of the eigenvalues of their
// cosine matrix, each as a share of the sum. 1: all vectors have one direction; n: all are at right
// angles. `products` are the dot products of all pairs, [n, n]; only the lower triangle is read.
[[nodiscard]] double EffectiveCount(std::vector<double> products, std::int64_t n);

}  // namespace headscope
