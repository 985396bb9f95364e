#include "core/base/eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lapacke.h>
#include <limits>
#include <utility>

#include "core/base/check.h"

namespace headscope {
namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// LAPACK is column-major: it sees the transpose of our matrix, which has the same eigenvalues.
constexpr int kOrder = LAPACK_COL_MAJOR;

lapack_int Side(const std::vector<double>& matrix, std::int64_t n) {
  HEADSCOPE_CHECK(n >= 0 && n <= std::numeric_limits<lapack_int>::max() &&
                      static_cast<std::int64_t>(matrix.size()) == n * n,
                  "a matrix with eigenvalues is square");
  return static_cast<lapack_int>(n);
}

}  // namespace

std::vector<double> SymmetricEigenvalues(std::vector<double> matrix, std::int64_t n) {
  const lapack_int side = Side(matrix, n);
  std::vector<double> values(static_cast<std::size_t>(n));
  // Our lower triangle is LAPACK's upper one. LAPACK checks for NaN, not for infinity.
  bool is_finite = true;
  for (std::int64_t row = 0; row < n; ++row) {
    const double* first = matrix.data() + row * n;
    is_finite = is_finite && std::all_of(first, first + row + 1, [](double value) {
                  return std::isfinite(value);
                });
  }
  if (!is_finite ||
      LAPACKE_dsyev(kOrder, 'N', 'U', side, matrix.data(), std::max(side, 1), values.data()) != 0) {
    values.assign(values.size(), kNotANumber);
  }
  return values;
}

std::vector<std::complex<double>> Eigenvalues(std::vector<double> matrix, std::int64_t n) {
  const lapack_int side = Side(matrix, n);
  const bool is_finite =
      std::all_of(matrix.begin(), matrix.end(), [](double value) { return std::isfinite(value); });
  std::vector<double> real(static_cast<std::size_t>(n), kNotANumber);
  std::vector<double> imaginary(real.size(), kNotANumber);
  const lapack_int lead = std::max(side, 1);
  if (!is_finite || LAPACKE_dgeev(kOrder,
                                  'N',
                                  'N',
                                  side,
                                  matrix.data(),
                                  lead,
                                  real.data(),
                                  imaginary.data(),
                                  nullptr,
                                  lead,
                                  nullptr,
                                  lead) != 0) {
    real.assign(real.size(), kNotANumber);
    imaginary = real;
  }
  std::vector<std::complex<double>> values;
  for (std::size_t i = 0; i < real.size(); ++i) {
    values.emplace_back(real[i], imaginary[i]);
  }
  return values;
}

double EffectiveCount(std::vector<double> products, std::int64_t n) {
  const auto at = [&products, n](std::int64_t row, std::int64_t col) -> double& {
    return products[static_cast<std::size_t>(row * n + col)];
  };
  std::vector<double> norms;
  for (std::int64_t i = 0; i < n; ++i) {
    norms.push_back(std::sqrt(at(i, i)));
  }
  for (std::int64_t one = 0; one < n; ++one) {
    for (std::int64_t two = 0; two <= one; ++two) {
      const double norm =
          norms[static_cast<std::size_t>(one)] * norms[static_cast<std::size_t>(two)];
      at(one, two) = norm > 0.0 ? at(one, two) / norm : 0.0;
    }
  }
  double entropy = 0.0;
  for (const double value : SymmetricEigenvalues(std::move(products), n)) {
    const double share = value / static_cast<double>(n);
    entropy -= share > 0.0 ? share * std::log(share) : 0.0;
  }
  return std::clamp(std::exp(entropy), 1.0, std::max(1.0, static_cast<double>(n)));
}

}  // namespace headscope
