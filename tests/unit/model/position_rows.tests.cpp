#include "core/model/position_rows.h"

#include <array>

#include "tests/support/catch.h"

namespace headscope {
namespace {

// Returns the rows' distances from that of the query itself, for keys 0, 1, ... before it.
std::vector<std::int32_t> Before(const PositionRowRule& rule) {
  const std::vector<std::int32_t> rows = RowsOfDistances(rule);
  std::vector<std::int32_t> before(rows.begin() + std::ssize(rows) / 2, rows.end());
  for (std::int32_t& row : before) {
    row -= static_cast<std::int32_t>(rule.span);
  }
  return before;
}

}  // namespace

TEST_CASE("without buckets every distance within the span has a row", "[model][position_rows]") {
  const PositionRowRule rule{.span = 3, .has_buckets = false, .max_distance = 3};
  CHECK(RowsOfDistances(rule) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 5});
}

TEST_CASE("far positions share rows, ever more of them", "[model][position_rows]") {
  // As transformers' make_log_bucket_position counts them, within the table.
  const PositionRowRule small{.span = 8, .has_buckets = true, .max_distance = 20};
  CHECK(Before(small) ==
        std::vector<std::int32_t>{0, 1, 2, 3, 4, 5, 5, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7});
  const PositionRowRule usual{.span = 256, .has_buckets = true, .max_distance = 512};
  const std::vector<std::int32_t> rows = Before(usual);
  constexpr std::array<std::array<std::int32_t, 2>, 8> kRows = {
      {{0, 0}, {127, 127}, {128, 128}, {129, 129}, {130, 130}, {200, 169}, {400, 233}, {511, 255}}};
  for (const auto& [distance, row] : kRows) {
    INFO(distance);
    CHECK(rows.at(static_cast<std::size_t>(distance)) == row);
  }
  CHECK(rows.back() == 255);
}

TEST_CASE("rows of keys after the query mirror those before it, but for the furthest",
          "[model][position_rows]") {
  const PositionRowRule rule{.span = 8, .has_buckets = true, .max_distance = 20};
  const std::vector<std::int32_t> rows = RowsOfDistances(rule);
  REQUIRE(rows.size() % 2 == 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    INFO(i);
    const std::int32_t mirrored = 2 * 8 - rows[rows.size() - 1 - i];
    CHECK(rows[i] == (i == 0 ? 0 : i + 1 == rows.size() ? 15 : mirrored));
  }
}

}  // namespace headscope
