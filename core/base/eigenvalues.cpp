#include "core/base/eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include <Eigen/Eigenvalues>

#include "core/base/check.h"

namespace headscope {

std::vector<double> SymmetricEigenvalues(const std::vector<double>& matrix, std::int64_t n) {
  HEADSCOPE_CHECK(n >= 0 && static_cast<std::int64_t>(matrix.size()) == n * n,
                  "a symmetric matrix is square");
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  std::vector<double> values(static_cast<std::size_t>(n));
  if (n == 0) {
    return values;  // which Eigen has no answer to
  }
  const Matrix lower = Eigen::Map<const Matrix>(matrix.data(), n, n).triangularView<Eigen::Lower>();
  if (!lower.allFinite()) {
    values.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
    return values;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(lower, Eigen::EigenvaluesOnly);
  Eigen::VectorXd::Map(values.data(), n) = solver.eigenvalues();
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
  for (const double value : SymmetricEigenvalues(products, n)) {
    const double share = value / static_cast<double>(n);
    entropy -= share > 0.0 ? share * std::log(share) : 0.0;
  }
  return std::clamp(std::exp(entropy), 1.0, std::max(1.0, static_cast<double>(n)));
}

}  // namespace headscope
