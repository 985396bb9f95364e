#include "core/base/counted.h"

#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("one is not many", "[base][counted]") {
  CHECK(Counted(0, "head") == "0 heads");
  CHECK(Counted(1, "head") == "1 head");
  CHECK(Counted(std::size_t{12}, "head") == "12 heads");
  CHECK(Counted(1, "query", "queries") == "1 query");
  CHECK(Counted(std::int64_t{2}, "query", "queries") == "2 queries");
}

}  // namespace headscope
