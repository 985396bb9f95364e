#include "core/base/hundredths.h"

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("What rounds to nothing has no sign", "[base]") {
  CHECK(SignedHundredths(0.434) == "+0.43");
  CHECK(SignedHundredths(-0.206) == "-0.21");
  CHECK(SignedHundredths(-0.006) == "-0.01");
  CHECK(SignedHundredths(-0.0049) == "0.00");
  CHECK(SignedHundredths(0.0049) == "0.00");
  CHECK(SignedHundredths(-0.0) == "0.00");
  CHECK(Hundredths(-0.001) == "0.00");
  CHECK(Hundredths(-12.3) == "-12.30");
  CHECK(SignedTenThousandths(-0.00004) == "0.0000");
  CHECK(SignedTenThousandths(-0.00006) == "-0.0001");
  CHECK(SignedTenThousandths(0.25) == "+0.2500");
}

TEST_CASE("Small numbers have the digits that tell them from 0", "[base]") {
  CHECK(ShareAmong(0.434, 0.9) == "0.43");
  CHECK(ShareAmong(-0.001, 0.9) == "0.00");
  CHECK(ShareAmong(0.07, 0.07) == "0.07");
  CHECK(ShareAmong(-0.00241, 0.00241) == "-0.0024");
  CHECK(ShareAmong(-0.00001, 0.00241) == "0.0000");
  CHECK(ShareAmong(0.0, 0.0) == "0.00");
  CHECK(SignedShareAmong(0.434, 0.9) == "+0.43");
  CHECK(SignedShareAmong(0.00241, 0.00241) == "+0.0024");
  CHECK(SignedShareAmong(-0.002, 0.9) == "0.00");
  CHECK(SignedShareAmong(-0.002, 0.021) == "-0.002");
  CHECK(SignedShareAmong(1e-12, 1e-12) == "0.000000");
}

}  // namespace headscope
