#include "core/base/singular_values.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <lapacke.h>
#include <limits>

#include "core/base/check.h"

namespace headscope {
namespace {

// LAPACK is column-major: it sees transposes.
constexpr int kColumns = LAPACK_COL_MAJOR;

bool AllFinite(std::span<const double> values) {
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

// The triangle L [width, width] of rows^T = L Q, where there are at least as many rows as columns:
// L(i, j) at [j * width + i], 0 where i < j.
std::vector<double> TriangleOf(std::span<const double> rows, std::int64_t width) {
  std::vector<double> matrix(rows.begin(), rows.end());
  const auto count = static_cast<lapack_int>(std::ssize(rows) / width);
  const auto side = static_cast<lapack_int>(width);
  std::vector<double> factors(static_cast<std::size_t>(width));
  HEADSCOPE_CHECK(LAPACKE_dgelqf(kColumns, side, count, matrix.data(), side, factors.data()) == 0,
                  "a finite matrix has a triangle");
  matrix.resize(static_cast<std::size_t>(width * width));
  for (std::int64_t col = 1; col < width; ++col) {
    std::fill_n(matrix.begin() + col * width, col, 0.0);
  }
  return matrix;
}

// one [n, width] times other^T [width, m].
std::vector<double> ProductOf(std::span<const double> one,
                              std::span<const double> other,
                              std::int64_t width) {
  std::vector<double> product;
  for (std::size_t i = 0; i < one.size(); i += static_cast<std::size_t>(width)) {
    for (std::size_t j = 0; j < other.size(); j += static_cast<std::size_t>(width)) {
      double sum = 0.0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(width); ++k) {
        sum += one[i + k] * other[j + k];
      }
      product.push_back(sum);
    }
  }
  return product;
}

}  // namespace

std::vector<double> SingularValues(std::vector<double> matrix,
                                   std::int64_t rows,
                                   std::int64_t cols) {
  HEADSCOPE_CHECK(rows >= 0 && cols >= 0 && std::max(rows, cols) < std::int64_t{1} << 30 &&
                      std::ssize(matrix) == rows * cols,
                  "a matrix has rows and columns");
  std::vector<double> values(static_cast<std::size_t>(std::min(rows, cols)));
  if (values.empty()) {
    return values;
  }
  const auto lead = static_cast<lapack_int>(cols);
  double none = 0.0;
  if (!AllFinite(matrix) || LAPACKE_dgesdd(kColumns,
                                           'N',
                                           lead,
                                           static_cast<lapack_int>(rows),
                                           matrix.data(),
                                           lead,
                                           values.data(),
                                           &none,
                                           1,
                                           &none,
                                           1) != 0) {
    values.assign(values.size(), std::numeric_limits<double>::quiet_NaN());
  }
  return values;
}

std::vector<double> ProductSingularValues(std::span<const double> left,
                                          std::span<const double> right,
                                          std::int64_t width) {
  HEADSCOPE_CHECK(width > 0 && std::ssize(left) % width == 0 && std::ssize(right) % width == 0,
                  "both have whole rows");
  const std::int64_t rows = std::ssize(left) / width;
  const std::int64_t cols = std::ssize(right) / width;
  if (width >= std::min(rows, cols) || !AllFinite(left) || !AllFinite(right)) {
    return SingularValues(ProductOf(left, right, width), rows, cols);
  }
  // With left^T = L1 Q1 and right^T = L2 Q2 they are those of L1^T L2.
  return SingularValues(
      ProductOf(TriangleOf(left, width), TriangleOf(right, width), width), width, width);
}

}  // namespace headscope
