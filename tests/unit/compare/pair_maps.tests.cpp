#include "core/compare/pair_maps.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "core/compare/aligned_axis.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope {
namespace {

using test::Words;

UnionAxis Same(std::int64_t tokens) {
  const auto words = test::NumberedWords(tokens);
  return Unite(*ShareAxis({.a = *words, .b = *words}), *words, *words);
}

TEST_CASE("Maps on the same tokens are the heads' own, and the difference is B less A",
          "[compare]") {
  const MapView causal{.layer = test::EvenLayer(0, 1, 4), .head = 0};
  test::EvenMaps even;
  even.queries = 4;
  even.keys = 4;
  even.causal = false;
  const MapView full{.layer = test::MakeEven(even), .head = 0};
  const auto made = MakePairMaps(causal, full, Same(4), Same(4), {}, {});
  REQUIRE(made.has_value());
  REQUIRE(made->rows == 4);
  REQUIRE(made->places == 1);
  CHECK(made->a[1 * 4 + 0] == test::Near(0.5, 1e-6));
  CHECK(made->a[1 * 4 + 2] == kMasked);
  CHECK(made->b[1 * 4 + 2] == test::Near(0.25, 1e-6));
  // What is masked weighs exactly nothing.
  CHECK(made->difference[1 * 4 + 2] == test::Near(0.25, 1e-6));
  CHECK(made->difference[1 * 4 + 0] == test::Near(-0.25, 1e-6));
  CHECK(made->furthest == test::Near(0.75, 1e-6));
  const auto equal = MakePairMaps(causal, causal, Same(4), Same(4), {}, {});
  REQUIRE(equal.has_value());
  CHECK(equal->furthest == 0.0F);
  CHECK(equal->difference[1 * 4 + 2] == kNoDifference);  // masked in both
}

TEST_CASE("What one side alone has is masked in the other and has no difference", "[compare]") {
  const auto a = Words({"the", "man", "sat"});
  const auto b = Words({"the", "old", "man", "sat"});
  const auto axis = AlignAxis(*a, *b, {});
  REQUIRE(axis.has_value());
  const UnionAxis all = Unite(*axis, *a, *b);
  const MapView of_a{.layer = test::EvenLayer(0, 1, 3), .head = 0};
  const MapView of_b{.layer = test::EvenLayer(0, 1, 4), .head = 0};
  const auto made = MakePairMaps(of_a, of_b, all, all, {}, {});
  REQUIRE(made.has_value());
  REQUIRE(made->rows == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(made->a[1 * 4 + i] == kMasked);  // A has no row "old"
    CHECK(made->difference[1 * 4 + i] == kNoDifference);
  }
  CHECK(made->b[1 * 4 + 0] == test::Near(0.5, 1e-6));
  CHECK(made->a[3 * 4 + 1] == kMasked);  // nor the column
  CHECK(made->a[3 * 4 + 3] == test::Near(1.0 / 3.0, 1e-6));
  CHECK(made->difference[3 * 4 + 3] == test::Near(0.25 - 1.0 / 3.0, 1e-6));
}

TEST_CASE("A word of several tokens: the mean of their rows, the sum of their columns",
          "[compare]") {
  Encoding pieces = *Words({"the", "sail", "or"});
  pieces.tokens[2].word = pieces.tokens[1].word;
  const auto whole = Words({"the", "sailor"});
  const auto axis = AlignAxis(pieces, *whole, {});
  REQUIRE(axis.has_value());
  const UnionAxis all = Unite(*axis, pieces, *whole);
  REQUIRE(all.size() == 2);
  const MapView of_a{.layer = test::EvenLayer(0, 1, 3), .head = 0};
  const MapView of_b{.layer = test::EvenLayer(0, 1, 2), .head = 0};
  const auto made = MakePairMaps(of_a, of_b, all, all, {}, {});
  REQUIRE(made.has_value());
  CHECK(made->a[2] == test::Near((0.5 + 1.0 / 3.0) / 2.0, 1e-6));
  CHECK(made->a[3] == test::Near((0.5 + 2.0 / 3.0) / 2.0, 1e-6));
}

TEST_CASE("Long texts are pooled to a bound, and a stop ends it", "[compare]") {
  const std::int64_t tokens = 2 * kMostPairSide + 3;
  const MapView map{.layer = test::EvenLayer(0, 1, tokens), .head = 0};
  const UnionAxis axis = Same(tokens);
  std::stop_source stop;
  stop.request_stop();
  CHECK(MakePairMaps(map, map, axis, axis, {}, stop.get_token()).error().code ==
        ErrorCode::kCancelled);
  const auto made = MakePairMaps(map, map, axis, axis, {}, {});
  REQUIRE(made.has_value());
  CHECK(made->places == 3);
  CHECK(made->rows <= kMostPairSide);
  // Rows 3 to 5 over columns 0 to 2, all of them visible.
  const double expected = (1.0 / 4.0 + 1.0 / 5.0 + 1.0 / 6.0) / 3.0;
  CHECK(made->a[static_cast<std::size_t>(made->cols)] == test::Near(expected, 1e-6));
  CHECK(made->a[1] == kMasked);
}

TEST_CASE("As many places go to a cell as are asked for", "[compare]") {
  const MapView a{.layer = test::EvenLayer(0, 1, 7), .head = 0};
  const MapView b{.layer = test::MakeEven({.id = {}, .queries = 7, .keys = 7, .causal = false}),
                  .head = 0};
  const UnionAxis axis = Same(7);
  const auto made = MakePairMaps(a, b, axis, axis, {}, {}, 3);
  REQUIRE(made.has_value());
  CHECK(made->places == 3);
  REQUIRE((made->rows == 3 && made->cols == 3));
  CHECK(made->a[0] == test::Near((1.0 + 2.0 / 2.0 + 3.0 / 3.0) / 6.0, 1e-6));  // of six visible
  CHECK(made->b[8] == test::Near(1.0 / 7.0, 1e-6));
  CHECK(made->difference[0] == test::Near(1.0 / 7.0 - 1.0, 1e-6));
  CHECK(made->furthest == test::Near(6.0 / 7.0, 1e-6));
}

TEST_CASE("A part of a long text's maps has a cell for each place", "[compare]") {
  const std::int64_t tokens = 2 * kMostPairSide + 3;
  const MapView map{.layer = test::EvenLayer(0, 1, tokens), .head = 0};
  const UnionAxis axis = Same(tokens);
  const PairPart part{.first_row = 1500, .last_row = 1540, .first_col = 1510, .last_col = 1530};
  const auto made = MakePairMaps(map, map, axis, axis, part, {});
  REQUIRE(made.has_value());
  CHECK(made->of == part);
  CHECK(made->places == 1);
  REQUIRE((made->rows == 40 && made->cols == 20));
  for (std::int64_t row = 0; row < 40; ++row) {
    for (std::int64_t col = 0; col < 20; ++col) {
      CAPTURE(row, col);
      const auto cell = static_cast<std::size_t>(row * 20 + col);
      if (1510 + col <= 1500 + row) {
        REQUIRE(made->a[cell] == test::Near(1.0 / static_cast<double>(1501 + row), 1e-7));
        REQUIRE(made->difference[cell] == 0.0F);
      } else {
        REQUIRE(made->a[cell] == kMasked);
        REQUIRE(made->difference[cell] == kNoDifference);
      }
    }
  }
}

TEST_CASE("The part around what is seen holds it, is bounded, and finer than the whole",
          "[compare]") {
  std::mt19937 draw(7);
  const auto below = [&draw](std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(0, most - 1)(draw);
  };
  for (int round = 0; round < 2000; ++round) {
    const std::int64_t rows = 1 + below(9000);
    const std::int64_t cols = 1 + below(9000);
    PairPart seen{.first_row = below(rows), .last_row = 0, .first_col = below(cols), .last_col = 0};
    seen.last_row = seen.first_row + 1 + below(rows - seen.first_row);
    seen.last_col = seen.first_col + 1 + below(cols - seen.first_col);
    CAPTURE(rows, cols, seen.first_row, seen.last_row, seen.first_col, seen.last_col);
    const std::int64_t whole = (std::max(rows, cols) + kMostPairSide - 1) / kMostPairSide;
    const auto part = PartAround(seen, rows, cols);
    const std::int64_t longest =
        std::max(seen.last_row - seen.first_row, seen.last_col - seen.first_col);
    if (!part) {
      REQUIRE((whole == 1 || 2 * longest > kMostPairSide * ((whole + 1) / 2)));
      continue;
    }
    REQUIRE((part->first_row >= 0 && part->first_row <= seen.first_row));
    REQUIRE((part->last_row >= seen.last_row && part->last_row <= rows));
    REQUIRE((part->first_col >= 0 && part->first_col <= seen.first_col));
    REQUIRE((part->last_col >= seen.last_col && part->last_col <= cols));
    const std::int64_t side =
        std::max(part->last_row - part->first_row, part->last_col - part->first_col);
    REQUIRE((side + kMostPairSide - 1) / kMostPairSide < whole);
  }
  CHECK_FALSE(PartAround({0, 0, 0, 0}, 4096, 4096));
  // A small move asks for nothing new.
  CHECK(PartAround({2000, 2100, 2000, 2100}, 4096, 4096) ==
        PartAround({2005, 2105, 2002, 2102}, 4096, 4096));
}

}  // namespace
}  // namespace headscope
