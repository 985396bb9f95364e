#include "core/heads/measure/subspace_overlap.h"

#include <cmath>
#include <cstddef>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

// The products of the rows of a matrix [rows, cols].
std::vector<double> GramOf(const std::vector<double>& matrix, std::size_t cols) {
  const std::size_t rows = matrix.size() / cols;
  std::vector<double> gram(rows * rows, 0.0);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < rows; ++j) {
      for (std::size_t k = 0; k < cols; ++k) {
        gram[i * rows + j] += matrix[i * cols + k] * matrix[j * cols + k];
      }
    }
  }
  return gram;
}

TEST_CASE("Heads that write into the same directions overlap by 1, at right angles by 0",
          "[heads][overlap]") {
  // Two heads of two rows in three columns: the plane of the first two axes, turned and stretched.
  const auto same = OverlapOfHeads(
      GramOf({1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 3.0, 4.0, 0.0, -1.0, 2.0, 0.0}, 3), 2, 3);
  REQUIRE(same);
  CHECK(same->overlap == Approx(1.0));
  CHECK(same->chance == Approx(2.0 / 3.0));
  const auto apart = OverlapOfHeads(GramOf({1.0, 0.0, 0.0, 5.0}, 2), 2, 2);
  REQUIRE(apart);
  CHECK(apart->overlap == Approx(0.0).margin(1e-12));
  // A line at 60 degrees to another: the square of the cosine.
  const auto slanted = OverlapOfHeads(GramOf({2.0, 0.0, 0.5, std::sqrt(0.75)}, 2), 2, 2);
  REQUIRE(slanted);
  CHECK(slanted->overlap == Approx(0.25));
  CHECK_FALSE(OverlapOfHeads(GramOf({1.0, 2.0, 3.0, 4.0}, 2), 1, 2));
}

TEST_CASE("Rows that are 0 or the same twice are no directions", "[heads][overlap]") {
  // The first head has one direction, the second two that hold it.
  const auto found =
      OverlapOfHeads(GramOf({1.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0}, 3), 2, 3);
  REQUIRE(found);
  CHECK(found->overlap == Approx(1.0));
  CHECK(found->chance == Approx(2.0 / 3.0));
  CHECK_FALSE(OverlapOfHeads(std::vector<double>(16, 0.0), 2, 4));
}

TEST_CASE("Random heads overlap as chance says", "[heads][overlap]") {
  RandomStream random(4);
  std::vector<double> matrix;
  for (int i = 0; i < 32 * 64; ++i) {
    matrix.push_back(random.Normal());
  }
  const auto found = OverlapOfHeads(GramOf(matrix, 64), 8, 64);
  REQUIRE(found);
  CHECK(found->chance == Approx(4.0 / 64.0));
  // 28 pairs of 16 squared cosines with mean 1/64 and a spread of about 1.4/64 each.
  CHECK(std::abs(found->overlap / found->chance - 1.0) < 5.0 * 1.4 / std::sqrt(28.0 * 16.0));
}

}  // namespace
}  // namespace headscope
