#include "core/base/singular_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

std::vector<double> Normals(std::int64_t count, RandomStream* random) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < count; ++i) {
    values.push_back(random->Normal());
  }
  return values;
}

// (1 - 2 v v^T / v^T v) from the left, on a matrix of `cols` columns: its singular values stay.
void Reflect(std::vector<double>* matrix, std::int64_t cols, const std::vector<double>& mirror) {
  double square = 0.0;
  for (const double value : mirror) {
    square += value * value;
  }
  for (std::int64_t col = 0; col < cols; ++col) {
    double dot = 0.0;
    for (std::size_t row = 0; row < mirror.size(); ++row) {
      dot += mirror[row] *
             (*matrix)[row * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)];
    }
    for (std::size_t row = 0; row < mirror.size(); ++row) {
      (*matrix)[row * static_cast<std::size_t>(cols) + static_cast<std::size_t>(col)] -=
          2.0 * dot / square * mirror[row];
    }
  }
}

std::vector<double> Turned(const std::vector<double>& matrix,
                           std::int64_t rows,
                           std::int64_t cols) {
  std::vector<double> turned;
  for (std::int64_t col = 0; col < cols; ++col) {
    for (std::int64_t row = 0; row < rows; ++row) {
      turned.push_back(matrix[static_cast<std::size_t>(row * cols + col)]);
    }
  }
  return turned;
}

// The slow form: pairs of columns are turned until all are at right angles (one-sided Jacobi).
std::vector<double> SlowSingularValues(const std::vector<double>& matrix,
                                       std::int64_t rows,
                                       std::int64_t cols) {
  std::vector<std::vector<double>> columns;
  for (std::int64_t col = 0; col < cols; ++col) {
    auto& column = columns.emplace_back();
    for (std::int64_t row = 0; row < rows; ++row) {
      column.push_back(matrix[static_cast<std::size_t>(row * cols + col)]);
    }
  }
  const auto dot = [](const std::vector<double>& one, const std::vector<double>& two) {
    double sum = 0.0;
    for (std::size_t i = 0; i < one.size(); ++i) {
      sum += one[i] * two[i];
    }
    return sum;
  };
  for (int sweep = 0; sweep < 40; ++sweep) {
    for (std::size_t a = 0; a < columns.size(); ++a) {
      for (std::size_t b = a + 1; b < columns.size(); ++b) {
        const double shared = dot(columns[a], columns[b]);
        if (shared == 0.0) {
          continue;
        }
        const double apart =
            (dot(columns[b], columns[b]) - dot(columns[a], columns[a])) / (2.0 * shared);
        const double slope =
            (apart >= 0.0 ? 1.0 : -1.0) / (std::abs(apart) + std::sqrt(1.0 + apart * apart));
        const double cosine = 1.0 / std::sqrt(1.0 + slope * slope);
        for (std::size_t i = 0; i < columns[a].size(); ++i) {
          const double left = columns[a][i];
          columns[a][i] = cosine * (left - slope * columns[b][i]);
          columns[b][i] = cosine * (slope * left + columns[b][i]);
        }
      }
    }
  }
  std::vector<double> values;
  for (const auto& column : columns) {
    values.push_back(std::sqrt(dot(column, column)));
  }
  std::ranges::sort(values, std::greater<>());
  values.resize(static_cast<std::size_t>(std::min(rows, cols)));
  return values;
}

TEST_CASE("Small matrices with known singular values", "[base][singular_values]") {
  CHECK(SingularValues({}, 0, 3).empty());
  CHECK(SingularValues({-3.0}, 1, 1) == std::vector<double>{3.0});
  CHECK(SingularValues({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, 3, 3) ==
        std::vector<double>{1.0, 1.0, 1.0});
  const auto diagonal = SingularValues({2.0, 0.0, 0.0, 0.0, -5.0, 0.0}, 2, 3);
  REQUIRE(diagonal.size() == 2);
  CHECK(diagonal[0] == Approx(5.0));
  CHECK(diagonal[1] == Approx(2.0));
  const double odd =
      GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  for (const double value : SingularValues({1.0, odd, 0.0, 2.0}, 2, 2)) {
    CHECK(std::isnan(value));
  }
  for (const double value : ProductSingularValues(
           std::vector<double>{1.0, odd, 2.0}, std::vector<double>{1.0, 2.0, 3.0}, 1)) {
    CHECK(std::isnan(value));
  }
}

TEST_CASE("Reflections leave the singular values that a matrix was made with",
          "[base][singular_values]") {
  const auto [rows, cols] = GENERATE(std::pair<std::int64_t, std::int64_t>{7, 7},
                                     std::pair<std::int64_t, std::int64_t>{24, 5},
                                     std::pair<std::int64_t, std::int64_t>{6, 31});
  RandomStream random(11);
  std::vector<double> wanted;
  std::vector<double> matrix(static_cast<std::size_t>(rows * cols), 0.0);
  for (std::int64_t i = 0; i < std::min(rows, cols); ++i) {
    wanted.push_back(std::pow(10.0, 2.0 - static_cast<double>(i)));
    matrix[static_cast<std::size_t>(i * cols + i)] = i % 2 == 0 ? wanted.back() : -wanted.back();
  }
  for (int i = 0; i < 3; ++i) {
    Reflect(&matrix, cols, Normals(rows, &random));
    matrix = Turned(matrix, rows, cols);
    Reflect(&matrix, rows, Normals(cols, &random));
    matrix = Turned(matrix, cols, rows);
  }
  const auto values = SingularValues(matrix, rows, cols);
  REQUIRE(values.size() == wanted.size());
  // Each reflection rounds by some units of the norm, which is the largest value's.
  const double bound = 32.0 * static_cast<double>(rows + cols) * test::kDoubleUnit * wanted[0];
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(values[i] == test::Near(wanted[i], bound));
  }
}

TEST_CASE(
    "A product has the singular values of the matrix that it makes, and no more than its width",
    "[base][singular_values]") {
  RandomStream random(5);
  const std::int64_t width = GENERATE(1, 3, 8, 40);
  const std::int64_t rows = GENERATE(2, 9, 33);
  const std::int64_t cols = GENERATE(4, 9, 20);
  const auto left = Normals(rows * width, &random);
  const auto right = Normals(cols * width, &random);
  std::vector<double> matrix;
  double square = 0.0;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < cols; ++j) {
      double sum = 0.0;
      for (std::int64_t k = 0; k < width; ++k) {
        sum += left[static_cast<std::size_t>(i * width + k)] *
               right[static_cast<std::size_t>(j * width + k)];
      }
      matrix.push_back(sum);
      square += sum * sum;
    }
  }
  const auto slow = SlowSingularValues(matrix, rows, cols);
  const auto values = ProductSingularValues(left, right, width);
  REQUIRE(std::ssize(values) <= std::min(rows, cols));
  REQUIRE(std::ssize(values) >= std::min({rows, cols, width}));
  const double bound = 64.0 * static_cast<double>(rows + cols) * test::kDoubleUnit *
                       std::sqrt(square) * std::sqrt(static_cast<double>(width));
  for (std::size_t i = 0; i < slow.size(); ++i) {
    CAPTURE(rows, cols, width, i);
    CHECK((i < values.size() ? values[i] : 0.0) == test::Near(slow[i], bound));
  }
}

}  // namespace
}  // namespace headscope
