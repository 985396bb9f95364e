#include "core/base/digits.h"

#include <limits>

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("A small number keeps digits that count, and only nothing reads as 0", "[base]") {
  CHECK(WithDigits(0.0) == "0");
  CHECK(WithDigits(0.1309) == "0.131");
  CHECK(WithDigits(12.5) == "12.500");
  CHECK(WithDigits(0.0104) == "0.010");
  CHECK(WithDigits(0.00047) == "0.00047");
  CHECK(WithDigits(-0.0005) == "-0.0005");
  CHECK(WithDigits(2.14e-8) == "2.1e-08");
  CHECK(WithDigits(0.00047, 4) == "0.00047");
  CHECK(WithDigits(0.1234567, 4) == "0.1235");
  CHECK(WithDigits(0.004, 2) == "0.004");
  CHECK(WithDigits(std::numeric_limits<double>::infinity()) == "inf");
}

}  // namespace headscope
