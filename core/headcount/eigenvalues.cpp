#include "core/headcount/eigenvalues.h"

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

}  // namespace headscope
