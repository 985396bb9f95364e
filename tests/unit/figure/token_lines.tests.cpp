#include "core/figure/token_lines.h"

#include <cmath>
#include <vector>

#include "tests/support/catch.h"

namespace headscope {
namespace {

const LineInk kInk{.color = {1, 2, 3}, .scale = {.curve = Curve::kLinear}};

LinesPlace Place() {
  return {.field = {100.0F, 50.0F, 200.0F, 80.0F}, .shown_queries = 4.0, .shown_keys = 8.0};
}

TEST_CASE("A line leads from its query at the left to its key at the right", "[token_lines]") {
  const std::vector<KeptWeight> weights = {{.query = 1, .key = 6, .weight = 0.25F}};
  const auto lines = LinesBetween(weights, {&kInk, 1}, Place());
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].x0 == 100.0F);
  CHECK(lines[0].y0 == 50.0F + 1.5F * 20.0F);
  CHECK(lines[0].x1 == 300.0F);
  CHECK(lines[0].y1 == 50.0F + 6.5F * 10.0F);
  CHECK(lines[0].rise == 0.0F);
  CHECK(lines[0].color == kInk.color);
  CHECK(lines[0].alpha == 0.25F);
}

TEST_CASE("Zoomed, lines keep their angles and those beyond the field are left out",
          "[token_lines]") {
  LinesPlace place = Place();
  place.first_query = 1.0;
  place.first_key = 2.0;
  place.shown_queries = 2.0;
  place.shown_keys = 4.0;
  const std::vector<KeptWeight> weights = {{.query = 0, .key = 0, .weight = 0.5F},
                                           {.query = 0, .key = 3, .weight = 0.5F},
                                           {.query = 3, .key = 7, .weight = 0.5F},
                                           {.query = 3, .key = 0, .weight = 0.5F}};
  const auto lines = LinesBetween(weights, {&kInk, 1}, place);
  // The first lies above the field, the third below it; the last crosses it from below to above.
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].y0 == 50.0F - 20.0F);
  CHECK(lines[0].y1 == 50.0F + 30.0F);
  CHECK(lines[1].y0 == 50.0F + 100.0F);
  CHECK(lines[1].y1 == 50.0F - 30.0F);
}

TEST_CASE("Each head has its own ink and range, and each row its own where asked",
          "[token_lines]") {
  const std::vector<LineInk> inks = {
      {.color = {1, 2, 3}, .scale = {.curve = Curve::kLinear, .high = 0.5F}},
      {.color = {4, 5, 6}, .scale = {.curve = Curve::kLinear, .range = RangeMode::kRow}}};
  const std::vector<KeptWeight> weights = {
      {.query = 0, .key = 0, .weight = 0.25F, .row_largest = 1.0F, .view = 0},
      {.query = 0, .key = 0, .weight = 0.25F, .row_largest = 0.25F, .view = 1}};
  const auto lines = LinesBetween(weights, inks, Place());
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].color == inks[0].color);
  CHECK(lines[0].alpha == 0.5F);
  CHECK(lines[1].color == inks[1].color);
  CHECK(lines[1].alpha == 1.0F);
}

TEST_CASE("Words say what is drawn, what is not, and what the sink takes", "[token_lines]") {
  KeptWeights kept;
  kept.weights.resize(41);
  kept.kept = 0.92;
  kept.left = 0.08;
  kept.smaller = 1234;
  CHECK(LinesWords({}, kept) ==
        "Largest weights up to 90 % of what each row gives its tokens: 41 lines hold 92 % of all "
        "attention; 8 % in 1,234 smaller weights is not drawn.");
  kept.beyond = 66;
  kept.sink = 0.004;
  CHECK(LinesWords({.per_row = 3, .most = 41}, kept) ==
        "Largest weights up to 90 % of what each row gives its tokens, 3 of a row at most: 41 "
        "lines hold 92 % of all attention; 8 % in 1,300 other weights is not drawn (66 of them "
        "belong to the 90 % of their rows: at most 41 lines are drawn, each row's largest first); "
        "under 1 % goes to the sink, which is no token.");
  KeptWeights all;
  all.weights.resize(1);
  all.kept = 1.0;
  CHECK(LinesWords({.mass = 1.0}, all) ==
        "Every weight above 0: 1 line holds 100 % of all attention.");
  CHECK(LinesWords({.mass = 1.0}, all, LinesSubject::kColumn) ==
        "Every weight above 0: 1 line holds 100 % of what this token gets.");
  CHECK(LinesWords({.per_row = 5}, all, LinesSubject::kRow) ==
        "Largest weights up to 90 % of what this row gives its tokens, 5 at most: 1 line holds "
        "100 % of its attention.");
}

TEST_CASE("A stroke knows how far a point lies from it", "[stroke]") {
  const Stroke straight{.x0 = 10.0F, .y0 = 10.0F, .x1 = 50.0F, .y1 = 40.0F, .color = {}};
  CHECK(std::abs(DistanceTo(straight, 30.0F, 25.0F)) < 1e-4F);
  CHECK(std::abs(DistanceTo(straight, 27.0F, 29.0F) - 5.0F) < 1e-4F);  // at a right angle
  CHECK(std::abs(DistanceTo(straight, 10.0F, 4.0F) - 6.0F) < 1e-4F);   // before its beginning
  const Stroke arc{.x0 = 10.0F, .y0 = 60.0F, .x1 = 50.0F, .y1 = 60.0F, .rise = 30.0F, .color = {}};
  CHECK(std::abs(PointOf(arc, 0.5F).y - 30.0F) < 1e-4F);
  CHECK(DistanceTo(arc, 30.0F, 30.0F) < 0.3F);
  CHECK(DistanceTo(arc, 30.0F, 60.0F) > 15.0F);
}

}  // namespace
}  // namespace headscope
