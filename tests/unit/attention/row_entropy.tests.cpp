#include "core/attention/row_entropy.h"

#include <cmath>
#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {

using test::Near;

TEST_CASE("The fast entropy of a row is the formula's", "[attention][entropy]") {
  RandomStream random(1);
  for (const std::int64_t count : {1, 2, 7, 15, 16, 17, 31, 33, 100, 1000}) {
    for (const double sharpness : {0.0, 0.3, 3.0, 12.0}) {
      std::vector<float> row;
      double sum = 0.0;
      std::vector<double> scores;
      for (std::int64_t i = 0; i < count; ++i) {
        scores.push_back(std::exp(sharpness * random.Normal()));
        sum += scores.back();
      }
      for (const double score : scores) {
        row.push_back(static_cast<float>(score / sum));
      }
      const double expected = RowEntropyReference(row);
      CHECK(RowEntropy(row) == Near(expected, 3e-7 * std::max(1.0, expected)));
      // Cells that nobody lit change nothing.
      row.insert(row.begin() + count / 2, 5, 0.0F);
      CHECK(RowEntropy(row) == Near(expected, 3e-7 * std::max(1.0, expected)));
    }
  }
}

TEST_CASE("Even rows have the logarithm of their length, a single cell none",
          "[attention][entropy]") {
  for (const int count : {2, 9, 64, 1000}) {
    const std::vector<float> even(static_cast<std::size_t>(count),
                                  1.0F / static_cast<float>(count));
    CHECK(RowEntropy(even) == Near(std::log(static_cast<double>(count)), 2e-6));
  }
  CHECK(RowEntropy(std::vector<float>{0.0F, 1.0F, 0.0F}) == 0.0);
  CHECK(RowEntropy({}) == 0.0);
}

}  // namespace headscope
