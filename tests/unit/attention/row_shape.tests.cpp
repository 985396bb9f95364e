#include "core/attention/row_shape.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {

using test::Near;

TEST_CASE("A row's peak, distance and product are what plain loops find", "[attention][shape]") {
  RandomStream random(1);
  for (const std::int64_t count : {1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 100, 1001}) {
    for (int draw = 0; draw < 20; ++draw) {
      std::vector<float> row;
      std::vector<float> other;
      for (std::int64_t i = 0; i < count; ++i) {
        // Steps, so that many cells are equal.
        row.push_back(static_cast<float>(std::floor(random.Uniform() * 8.0) / 8.0));
        other.push_back(static_cast<float>(random.Uniform()));
      }
      CHECK(RowPeak(row) == static_cast<std::size_t>(std::ranges::max_element(row) - row.begin()));
      CHECK(RowPeak(other) ==
            static_cast<std::size_t>(std::ranges::max_element(other) - other.begin()));
      const std::int64_t query = draw % 2 == 0 ? count - 1 : count / 3;
      double distance = 0.0;
      double product = 0.0;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto cell = static_cast<std::size_t>(i);
        distance += static_cast<double>(row[cell]) * static_cast<double>(std::abs(query - i));
        product += static_cast<double>(row[cell]) * static_cast<double>(other[cell]);
      }
      CHECK(RowDistance(row, query) == Near(distance, 1e-13 * (1.0 + distance)));
      CHECK(RowProduct(row, other) == Near(product, 1e-13 * (1.0 + product)));
    }
  }
}

TEST_CASE("A row without light has its peak first, an empty one has nothing",
          "[attention][shape]") {
  CHECK(RowPeak(std::vector<float>(11, 0.0F)) == 0);
  CHECK(RowPeak({}) == 0);
  CHECK(RowPeak(std::vector<float>(11, std::nanf(""))) == 0);
  CHECK(RowDistance({}, 0) == 0.0);
  CHECK(RowProduct({}, {}) == 0.0);
}

}  // namespace headscope
