#include <set>

#include "core/headcount/split.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("Contiguous columns: ascending, each owned once, wider heads first",
          "[headcount][columns]") {
  const std::int64_t width = GENERATE(1, 7, 12, 64, 768);
  const std::int64_t heads = GENERATE(1, 2, 3, 5, 7, 12);
  if (heads > width) {
    return;
  }
  const auto columns = ContiguousColumns(width, heads);
  REQUIRE(static_cast<std::int64_t>(columns.size()) == heads);
  std::int32_t next = 0;
  for (std::int64_t head = 0; head < heads; ++head) {
    const auto& own = columns[static_cast<std::size_t>(head)];
    CHECK(static_cast<std::int64_t>(own.size()) ==
          (head < width % heads ? (width + heads - 1) / heads : width / heads));
    for (const std::int32_t column : own) {
      CHECK(column == next++);
    }
  }
  CHECK(next == width);
}

TEST_CASE("The default counts are the powers of two and the trained one", "[headcount][columns]") {
  CHECK(DefaultHeadCounts(12, 768, 24) == std::vector<std::int64_t>{1, 2, 4, 8, 12, 16});
  CHECK(DefaultHeadCounts(8, 64, 1000) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64});
  CHECK(DefaultHeadCounts(6, 12, 4) == std::vector<std::int64_t>{1, 2, 4, 6});
  CHECK(DefaultHeadCounts(1, 1, 1) == std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace headscope
