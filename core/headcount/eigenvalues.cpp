#include "core/headcount/eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/base/check.h"

namespace headscope {
namespace {

struct Tridiagonal {
  std::vector<double> diagonal;  // [n]
  std::vector<double> below;     // [n]; below[i] couples i and i + 1, the last is 0
};

// Reflections from the last row upwards, each clearing one row left of the diagonals.
Tridiagonal Reduce(std::vector<double>* matrix, std::size_t n) {
  auto at = [matrix, n](std::size_t row, std::size_t col) -> double& {
    return (*matrix)[row * n + col];
  };
  Tridiagonal result{std::vector<double>(n), std::vector<double>(n)};
  std::vector<double> reflector(n);
  std::vector<double> product(n);
  for (std::size_t row = n; row-- > 1;) {
    // The row's part left of the diagonal is turned onto its last element.
    double norm = 0.0;
    for (std::size_t i = 0; i < row; ++i) {
      reflector[i] = at(row, i);
      norm = std::hypot(norm, reflector[i]);
    }
    const double last = reflector[row - 1];
    const double turned = last > 0.0 ? -norm : norm;
    result.below[row - 1] = turned;
    reflector[row - 1] = last - turned;
    double square = 0.0;
    for (std::size_t i = 0; i < row; ++i) {
      square += reflector[i] * reflector[i];
    }
    if (square <= std::numeric_limits<double>::min()) {
      result.below[row - 1] = last;
      continue;
    }
    const double factor = 2.0 / square;
    // product = factor A v, from the lower triangle; then A -= v w^T + w v^T with
    // w = product - (factor / 2) (v . product) v.
    std::fill(product.begin(), product.begin() + static_cast<std::ptrdiff_t>(row), 0.0);
    for (std::size_t i = 0; i < row; ++i) {
      double sum = 0.0;
      for (std::size_t j = 0; j < i; ++j) {
        sum += at(i, j) * reflector[j];
        product[j] += at(i, j) * reflector[i];
      }
      product[i] += sum + at(i, i) * reflector[i];
    }
    double dot = 0.0;
    for (std::size_t i = 0; i < row; ++i) {
      product[i] *= factor;
      dot += product[i] * reflector[i];
    }
    for (std::size_t i = 0; i < row; ++i) {
      product[i] -= 0.5 * factor * dot * reflector[i];
    }
    for (std::size_t i = 0; i < row; ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        at(i, j) -= reflector[i] * product[j] + product[i] * reflector[j];
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    result.diagonal[i] = at(i, i);
  }
  return result;
}

// One implicit QL step on the block [first, last].
void Step(Tridiagonal* matrix, std::size_t first, std::size_t last) {
  std::vector<double>& d = matrix->diagonal;
  std::vector<double>& e = matrix->below;
  const double spread = (d[first + 1] - d[first]) / (2.0 * e[first]);
  const double root = std::hypot(spread, 1.0);
  double g = d[last] - d[first] + e[first] / (spread + std::copysign(root, spread));
  double sine = 1.0;
  double cosine = 1.0;
  double shift = 0.0;
  for (std::size_t i = last; i-- > first;) {
    const double f = sine * e[i];
    const double b = cosine * e[i];
    const double length = std::hypot(f, g);
    e[i + 1] = length;
    if (length == 0.0) {
      d[i + 1] -= shift;
      e[last] = 0.0;
      return;
    }
    sine = f / length;
    cosine = g / length;
    g = d[i + 1] - shift;
    const double r = (d[i] - g) * sine + 2.0 * cosine * b;
    shift = sine * r;
    d[i + 1] = g + shift;
    g = cosine * r - b;
  }
  d[first] -= shift;
  e[first] = g;
  e[last] = 0.0;
}

}  // namespace

std::vector<double> SymmetricEigenvalues(std::vector<double> matrix, std::int64_t n) {
  HEADSCOPE_CHECK(n >= 0 && static_cast<std::int64_t>(matrix.size()) == n * n,
                  "a symmetric matrix is square");
  constexpr int kMostSteps = 60;  // a step or two for each value is usual
  const auto size = static_cast<std::size_t>(n);
  Tridiagonal reduced = Reduce(&matrix, size);
  for (std::size_t first = 0; first < size; ++first) {
    for (int step = 0; step < kMostSteps; ++step) {
      std::size_t last = first;
      while (last + 1 < size) {
        const double scale =
            std::fabs(reduced.diagonal[last]) + std::fabs(reduced.diagonal[last + 1]);
        if (std::fabs(reduced.below[last]) <= std::numeric_limits<double>::epsilon() * scale) {
          break;
        }
        ++last;
      }
      if (last == first) {
        break;
      }
      Step(&reduced, first, last);
    }
  }
  std::sort(reduced.diagonal.begin(), reduced.diagonal.end());
  return reduced.diagonal;
}

}  // namespace headscope
