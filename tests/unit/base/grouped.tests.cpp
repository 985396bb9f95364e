#include "core/base/grouped.h"

#include "tests/support/catch.h"

TEST_CASE("digits stand in groups of three", "[base][grouped]") {
  using headscope::Grouped;
  CHECK(Grouped(0) == "0");
  CHECK(Grouped(999) == "999");
  CHECK(Grouped(1000) == "1,000");
  CHECK(Grouped(65536) == "65,536");
  CHECK(Grouped(123456789) == "123,456,789");
  CHECK(Grouped(-100) == "-100");
  CHECK(Grouped(-1000) == "-1,000");
}
