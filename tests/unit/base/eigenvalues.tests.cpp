#include "core/base/eigenvalues.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

// Each eigenvalue moves by no more than what rounding adds to the matrix: some units of its norm a
// rotation of a row.
double RotationBound(double norm, std::int64_t n) {
  return 4.0 * static_cast<double>(n) * test::kDoubleUnit * norm;
}

TEST_CASE("Small matrices with known eigenvalues", "[base][eigenvalues]") {
  CHECK(SymmetricEigenvalues({}, 0).empty());
  CHECK(SymmetricEigenvalues({3.5}, 1) == std::vector<double>{3.5});
  const auto two = SymmetricEigenvalues({2.0, 0.0, 1.0, 2.0}, 2);  // the upper triangle is not read
  CHECK(two[0] == test::Near(1.0));
  CHECK(two[1] == test::Near(3.0));
  const auto diagonal = SymmetricEigenvalues({3.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 2.0}, 3);
  CHECK(diagonal == std::vector<double>{-1.0, 2.0, 3.0});
}

TEST_CASE("a I + b J has n - 1 eigenvalues a and one a + n b", "[base][eigenvalues]") {
  const std::int64_t n = GENERATE(2, 3, 8, 40);
  const double a = GENERATE(0.0, 0.25, 1.0);
  std::vector<double> matrix(static_cast<std::size_t>(n * n), 0.75);
  for (std::int64_t i = 0; i < n; ++i) {
    matrix[static_cast<std::size_t>(i * n + i)] += a;
  }
  const auto values = SymmetricEigenvalues(matrix, n);
  const double largest = a + 0.75 * static_cast<double>(n);
  const double bound = RotationBound(largest, n);
  for (std::int64_t i = 0; i + 1 < n; ++i) {
    CHECK(values[static_cast<std::size_t>(i)] == test::Near(a, bound));
  }
  CHECK(values.back() == test::Near(largest, bound));
}

TEST_CASE("The second difference has cosines for eigenvalues", "[base][eigenvalues]") {
  constexpr std::int64_t kSize = 25;
  std::vector<double> matrix(kSize * kSize, 0.0);
  for (std::size_t i = 0; i < kSize; ++i) {
    matrix[i * kSize + i] = 2.0;
    if (i > 0) {
      matrix[i * kSize + i - 1] = matrix[(i - 1) * kSize + i] = -1.0;
    }
  }
  const auto values = SymmetricEigenvalues(matrix, kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    const double angle = 3.14159265358979323846 * static_cast<double>(i + 1) / (kSize + 1.0);
    CHECK(values[i] == test::Near(2.0 - 2.0 * std::cos(angle), RotationBound(4.0, kSize)));
  }
}

TEST_CASE("Sums of powers of the eigenvalues are traces", "[base][eigenvalues]") {
  const std::int64_t n = GENERATE(5, 16, 65);
  RandomStream random(7);
  std::vector<double> matrix(static_cast<std::size_t>(n * n));
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) {
      matrix[static_cast<std::size_t>(i * n + j)] = matrix[static_cast<std::size_t>(j * n + i)] =
          random.Normal();
    }
  }
  double trace = 0.0;
  double squares = 0.0;
  for (std::int64_t i = 0; i < n; ++i) {
    trace += matrix[static_cast<std::size_t>(i * n + i)];
  }
  for (const double cell : matrix) {
    squares += cell * cell;
  }
  double sum = 0.0;
  double sum_of_squares = 0.0;
  const auto values = SymmetricEigenvalues(matrix, n);
  for (const double value : values) {
    sum += value;
    sum_of_squares += value * value;
  }
  CHECK(std::is_sorted(values.begin(), values.end()));
  CHECK(sum == test::Near(trace, static_cast<double>(n) * RotationBound(std::sqrt(squares), n)));
  CHECK(sum_of_squares == Approx(squares).epsilon(1e-12));
}

TEST_CASE("Vectors count as the directions that they have", "[base][eigenvalues]") {
  CHECK(EffectiveCount({4.0, 0.0, 0.0, 9.0}, 2) == Approx(2.0));
  CHECK(EffectiveCount({4.0, 0.0, 6.0, 9.0}, 2) == Approx(1.0));
  // Cosine 1/2: shares of 3/4 and 1/4.
  CHECK(EffectiveCount({1.0, 0.0, 0.5, 1.0}, 2) ==
        Approx(std::exp(-0.75 * std::log(0.75) - 0.25 * std::log(0.25))));
  // One of no length is at a right angle to all, and adds nothing.
  CHECK(EffectiveCount({1.0, 0.0, 0.0, 0.0}, 2) == Approx(std::exp(0.5 * std::log(2.0))));
}

// By real part, then by imaginary.
std::vector<std::complex<double>> InOrder(std::vector<std::complex<double>> values) {
  std::sort(values.begin(), values.end(), [](std::complex<double> a, std::complex<double> b) {
    return a.real() != b.real() ? a.real() < b.real() : a.imag() < b.imag();
  });
  return values;
}

TEST_CASE("Eigenvalues of matrices that are not symmetric", "[base][eigenvalues]") {
  CHECK(Eigenvalues({}, 0).empty());
  const auto triangle = InOrder(Eigenvalues({1.0, 5.0, 7.0, 0.0, 2.0, 9.0, 0.0, 0.0, -4.0}, 3));
  CHECK(triangle == std::vector<std::complex<double>>{-4.0, 1.0, 2.0});
  // A quarter turn, twice as long: +-2i.
  const auto turn = InOrder(Eigenvalues({0.0, -2.0, 2.0, 0.0}, 2));
  CHECK(std::abs(turn[0] - std::complex<double>(0.0, -2.0)) < 1e-15);
  CHECK(std::abs(turn[1] - std::complex<double>(0.0, 2.0)) < 1e-15);
  // The roots of x^3 - 6 x^2 + 11 x - 6, in the companion matrix of it.
  const auto roots = InOrder(Eigenvalues({6.0, -11.0, 6.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, 3));
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(std::abs(roots[i] - std::complex<double>(static_cast<double>(i) + 1.0)) < 1e-12);
  }
  const double odd =
      GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  const auto none = Eigenvalues({1.0, odd, 0.0, 2.0}, 2);
  REQUIRE(none.size() == 2);
  CHECK(std::isnan(none[0].real()));
  CHECK(std::isnan(none[1].real()));
}

TEST_CASE("A matrix that is not finite has no eigenvalues", "[base][eigenvalues]") {
  const double odd =
      GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity());
  const auto values = SymmetricEigenvalues({1.0, 0.0, odd, 2.0}, 2);
  REQUIRE(values.size() == 2);
  CHECK(std::isnan(values[0]));
  CHECK(std::isnan(values[1]));
  const auto finite = SymmetricEigenvalues({1.0, odd, 0.0, 2.0}, 2);  // the upper is not read
  CHECK(finite == std::vector<double>{1.0, 2.0});
}

}  // namespace
}  // namespace headscope
