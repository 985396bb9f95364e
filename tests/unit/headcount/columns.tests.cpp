#include <algorithm>
#include <functional>

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

using Columns = std::vector<std::vector<std::int32_t>>;

Columns Cut(SegmentKind segments,
            std::int64_t width,
            std::int64_t heads,
            std::optional<std::int64_t> head_dim = {},
            std::uint64_t seed = 1) {
  return SegmentColumns(
      {.head_counts = {}, .segments = segments, .head_dim = head_dim, .seed = seed}, width, heads);
}

TEST_CASE("Strided columns: every h-th, each owned once", "[headcount][columns]") {
  CHECK(Cut(SegmentKind::kStrided, 7, 3) == Columns{{0, 3, 6}, {1, 4}, {2, 5}});
  CHECK(Cut(SegmentKind::kStrided, 4, 4) == Columns{{0}, {1}, {2}, {3}});
  CHECK(Cut(SegmentKind::kStrided, 4, 1) == Columns{{0, 1, 2, 3}});
  CHECK(Cut(SegmentKind::kContiguous, 7, 3) == ContiguousColumns(7, 3));
}

TEST_CASE("Overlapping columns: K neighbours from floor(i (D - K) / (h - 1))",
          "[headcount][columns]") {
  CHECK(Cut(SegmentKind::kOverlapping, 8, 3, 4) ==
        Columns{{0, 1, 2, 3}, {2, 3, 4, 5}, {4, 5, 6, 7}});
  CHECK(Cut(SegmentKind::kOverlapping, 7, 3, 2) == Columns{{0, 1}, {2, 3}, {5, 6}});
  CHECK(Cut(SegmentKind::kOverlapping, 7, 1, 3) == Columns{{0, 1, 2}});
  // By default D / h of them, rounded down.
  CHECK(Cut(SegmentKind::kOverlapping, 7, 2) == Columns{{0, 1, 2}, {4, 5, 6}});
  CHECK(Cut(SegmentKind::kOverlapping, 5, 5, 5) == Columns(5, {0, 1, 2, 3, 4}));
}

TEST_CASE("Random columns: K of each head by itself, ascending, the same for a seed",
          "[headcount][columns]") {
  const auto columns = Cut(SegmentKind::kRandom, 30, 6, 9);
  REQUIRE(columns.size() == 6);
  for (const auto& own : columns) {
    CHECK(own.size() == 9);
    CHECK(std::ranges::adjacent_find(own, std::ranges::greater_equal{}) == own.end());
    CHECK(own.front() >= 0);
    CHECK(own.back() < 30);
  }
  CHECK(columns[0] != columns[1]);
  CHECK(Cut(SegmentKind::kRandom, 30, 6, 9) == columns);
  CHECK(Cut(SegmentKind::kRandom, 30, 6, 9, 2) != columns);
  CHECK(Cut(SegmentKind::kRandom, 30, 4)[0].size() == 7);
  CHECK(Cut(SegmentKind::kRandom, 4, 2, 4) == Columns(2, {0, 1, 2, 3}));
}

TEST_CASE("Random columns are drawn evenly", "[headcount][columns]") {
  std::vector<int> times(12, 0);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    for (const auto& own : Cut(SegmentKind::kRandom, 12, 3, 4, seed)) {
      for (const std::int32_t column : own) {
        ++times[static_cast<std::size_t>(column)];
      }
    }
  }
  // 1,200 heads take a third each: 400, give or take five standard deviations of 16.
  for (const int count : times) {
    CHECK(count > 318);
    CHECK(count < 482);
  }
}

TEST_CASE("Names of segments, weights and inputs are read as they are written",
          "[headcount][columns]") {
  for (const auto segments : {SegmentKind::kContiguous,
                              SegmentKind::kStrided,
                              SegmentKind::kRandom,
                              SegmentKind::kOverlapping}) {
    CHECK(ParseSegments(Name(segments)) == segments);
  }
  for (const auto weights : {SplitWeights::kTrained, SplitWeights::kOnes, SplitWeights::kRandom}) {
    CHECK(ParseSplitWeights(Name(weights)) == weights);
  }
  CHECK(ParseSplitInput("normal") == SplitInput::kNormal);
  CHECK(ParseSplitInput("layer") == SplitInput::kLayer);
  CHECK_FALSE(ParseSegments("").has_value());
  CHECK_FALSE(ParseSplitInput("ones").has_value());
}

TEST_CASE("The default counts are the powers of two and the trained one", "[headcount][columns]") {
  CHECK(DefaultHeadCounts(12, 768, 24) == std::vector<std::int64_t>{1, 2, 4, 8, 12, 16});
  CHECK(DefaultHeadCounts(8, 64, 1000) == std::vector<std::int64_t>{1, 2, 4, 8, 16, 32, 64});
  CHECK(DefaultHeadCounts(6, 12, 4) == std::vector<std::int64_t>{1, 2, 4, 6});
  CHECK(DefaultHeadCounts(1, 1, 1) == std::vector<std::int64_t>{1});
}

}  // namespace
}  // namespace headscope
