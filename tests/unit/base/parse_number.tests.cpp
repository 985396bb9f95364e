#include "core/base/parse_number.h"

#include <cstdint>

#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("a number is read where it is the whole text", "[base]") {
  CHECK(ParseAs<int>("12") == 12);
  CHECK(ParseAs<std::int64_t>("-7") == -7);
  CHECK(ParseAs<double>("1e-3") == 1e-3);
  CHECK(ParseAs<std::uint32_t>("8B949E", 16) == 0x8B949EU);
  for (const char* const text : {"", " 1", "1 ", "1x", "x", "+1", "99999999999"}) {
    INFO(text);
    CHECK_FALSE(ParseAs<int>(text));
  }
}

}  // namespace
}  // namespace headscope
