#include "core/attention/row_products.h"

#include <vector>

#include "core/base/random.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {

using test::Near;

TEST_CASE("Products of rows are what plain loops find", "[attention][products]") {
  RandomStream random(1);
  for (std::int64_t heads = 1; heads <= 20; ++heads) {
    for (const std::int64_t count : {4, 8, 16, 48, 1000}) {
      const std::int64_t stride = count + 4;
      std::vector<float> rows(static_cast<std::size_t>(heads * stride));
      for (float& cell : rows) {
        cell = static_cast<float>(random.Uniform());
      }
      std::vector<double> sums(static_cast<std::size_t>(heads * (heads + 1) / 2), 1.0);
      for (std::int64_t one = 0; one < heads; one += kRowsOfProduct) {
        AddProducts({rows.data(), heads, stride, count}, one, sums);
      }
      std::size_t place = 0;
      for (std::int64_t one = 0; one < heads; ++one) {
        for (std::int64_t two = 0; two <= one; ++two) {
          double product = 1.0;
          for (std::int64_t cell = 0; cell < count; ++cell) {
            product += static_cast<double>(rows[static_cast<std::size_t>(one * stride + cell)]) *
                       static_cast<double>(rows[static_cast<std::size_t>(two * stride + cell)]);
          }
          CHECK(sums[place++] == Near(product, 1e-13 * (1.0 + product)));
        }
      }
    }
  }
}

}  // namespace headscope
