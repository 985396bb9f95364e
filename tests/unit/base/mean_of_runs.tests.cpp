#include "core/base/mean_of_runs.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("the mean of several runs has its standard error, that of one has none", "[base]") {
  CHECK_FALSE(MeanOfValues({}));
  const auto one = MeanOfValues(std::vector{2.5});
  REQUIRE(one);
  CHECK(one->mean == 2.5);
  CHECK_FALSE(one->error);
  const auto three = MeanOfValues(std::vector{1.0, 2.0, 6.0});
  REQUIRE(three);
  CHECK(three->runs == 3);
  CHECK(three->mean == Approx(3.0));
  CHECK(*three->error == Approx(std::sqrt(7.0 / 3.0)));  // squares 4 + 1 + 9 over 2, over 3
}

}  // namespace headscope
