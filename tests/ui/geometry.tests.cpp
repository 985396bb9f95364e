// Where maps, their marks and the grid stand, as values.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "app/views/counts/layout.h"
#include "app/views/inspect/grid_layout.h"
#include "app/views/kit/layout.h"
#include "app/views/kit/tooltip_place.h"
#include "app/views/maps/map_geometry.h"
#include "tests/support/catch.h"

namespace headscope::test {
namespace {

TEST_CASE("a tooltip stands beside what it may not cover, as near as it can", "[ui][geometry]") {
  const Rect window{0.0F, 0.0F, 1000.0F, 700.0F};
  TooltipWish wish{.window = window, .width = 200.0F, .height = 90.0F, .x = 300.0F, .y = 300.0F};
  Rect place = PlaceTooltip(wish);
  CHECK(place == Rect{312.0F, 312.0F, 200.0F, 90.0F});  // free: right and below
  const std::array beside = {Rect{290.0F, 290.0F, 40.0F, 40.0F},
                             Rect{400.0F, 290.0F, 40.0F, 40.0F}};
  wish.off = beside;
  place = PlaceTooltip(wish);
  for (const Rect& off : beside) {
    CHECK(Intersection(place, off).width * Intersection(place, off).height == 0.0F);
  }
  CHECK(place.y == 198.0F);  // above both, which is nearer than below
  // At the window's edges it stays within.
  for (const auto& [x, y] :
       {std::pair(995.0F, 695.0F), std::pair(2.0F, 3.0F), std::pair(990.0F, 5.0F)}) {
    wish.x = x;
    wish.y = y;
    place = PlaceTooltip(wish);
    CHECK((place.x >= 0.0F && place.y >= 0.0F));
    CHECK((place.x + 200.0F <= 1000.0F && place.y + 90.0F <= 700.0F));
    CHECK_FALSE(Contains(place, x, y));
  }
  // No room at all: as little as can be.
  const std::array all = {window};
  wish.off = all;
  CHECK(PlaceTooltip(wish).width == 200.0F);
}

constexpr Rect kWhole{10.0F, 20.0F, 403.0F, 403.0F};
constexpr MapSpace kSpace{kWhole, {10.0F, 20.0F, 450.0F, 600.0F}};

bool IsWhole(double number) {
  return std::abs(number - std::round(number)) < 1e-4;
}

TEST_CASE("a large map fills its place for every length of text", "[ui][geometry]") {
  for (std::int64_t tokens = 1; tokens <= 700; ++tokens) {
    CAPTURE(tokens);
    const MapGeometry map = PlaceMap(kSpace, tokens, tokens, {});
    CHECK(map.target == map.whole);
    CHECK(map.target.width == map.target.height);
    CHECK(map.target.width <= kWhole.width);
    CHECK(map.target.width >= 0.9F * kWhole.width);
    const double cell = map.cell_width();
    // Whole pixels wherever these fill it.
    const double fits = static_cast<double>(kWhole.width) / static_cast<double>(tokens);
    CHECK(IsWhole(cell) == (std::floor(fits) >= 0.9 * fits || IsWhole(fits)));
    const std::string words = CellWords(map);
    if (cell < 1.0) {
      CHECK(words.find("each pixel shows the largest") == 0);
    } else if (IsWhole(cell)) {
      CHECK(words.empty());
    } else {
      CHECK(words.find(fmt::format("{:.1f} pixels wide", cell)) != std::string::npos);
    }
  }
}

TEST_CASE("every cell of fractional pixels is found where it is drawn", "[ui][geometry]") {
  const MapGeometry map = PlaceMap(kSpace, 255, 255, {});
  CHECK(map.target.width == 403.0F);
  for (std::int64_t at = 0; at < 255; ++at) {
    const Rect cell = map.CellRect({at, 254 - at});
    const CellIndex found = map.At(static_cast<double>(cell.x + cell.width / 2.0F),
                                   static_cast<double>(cell.y + cell.height / 2.0F))
                                .value();
    CHECK(found.query == at);
    CHECK(found.key == 254 - at);
  }
}

TEST_CASE("a zoomed map takes the whole room, and its cells stay square", "[ui][geometry]") {
  const std::int64_t tokens = GENERATE(31, 255, 900);
  const MapGeometry whole = PlaceMap(kSpace, tokens, tokens, {});
  const MapGeometry zoomed = PlaceMap(kSpace, tokens, tokens, {.zoom = 4.0});
  CHECK(zoomed.target == kSpace.zoomed);
  CHECK(zoomed.whole == whole.whole);
  CHECK(zoomed.cell_width() == Approx(4.0 * whole.cell_width()));
  CHECK(zoomed.cell_height() == Approx(zoomed.cell_width()).epsilon(1e-2));
  CHECK(zoomed.first_query + zoomed.shown_queries <= static_cast<double>(tokens) + 1e-9);
  CHECK(zoomed.shown_queries > zoomed.shown_keys);
  // A little zoomed, no more than it needs.
  const MapGeometry little = PlaceMap(kSpace, tokens, tokens, {.zoom = 1.05, .center_y = 0.0});
  CHECK(little.target.height == Approx(1.05F * whole.target.height).margin(1.0));
}

TEST_CASE("zooming keeps the cell under the pointer, wherever that is", "[ui][geometry]") {
  const std::int64_t tokens = 255;
  MapZoom zoom;
  const double x = GENERATE(0.05, 0.5, 0.97);
  const double y = GENERATE(0.03, 0.5, 0.95);
  const double px = 10.0 + x * 403.0;
  const double py = 20.0 + y * 403.0;
  const CellIndex before = PlaceMap(kSpace, tokens, tokens, zoom).At(px, py).value();
  for (const double factor : {1.25, 1.25, 1.25, 2.0, 0.8, 3.0}) {
    zoom = ZoomAbout(zoom, factor, x, y, 85.0);
    const CellIndex now = PlaceMap(kSpace, tokens, tokens, zoom).At(px, py).value();
    CHECK(std::abs(now.query - before.query) <= 1);
    CHECK(std::abs(now.key - before.key) <= 1);
  }
}

TEST_CASE("a zoomed map is moved no further than its end fills the room", "[ui][geometry]") {
  const MapSize size = PlaceMap(kSpace, 31, 31, {}).size;
  MapZoom zoom{.zoom = 4.0};
  for (int i = 0; i < 100; ++i) {
    zoom = Panned(zoom, 0.1, 0.1, 10.0, size);
  }
  const MapGeometry end = PlaceMap(kSpace, 31, 31, zoom);
  CHECK(end.target == kSpace.zoomed);
  CHECK(end.first_key + end.shown_keys == Approx(31.0));
  CHECK(end.first_query + end.shown_queries == Approx(31.0));
  for (int i = 0; i < 100; ++i) {
    zoom = Panned(zoom, -0.1, -0.1, 10.0, size);
  }
  CHECK(PlaceMap(kSpace, 31, 31, zoom).first_key == 0.0);
  CHECK(PlaceMap(kSpace, 31, 31, zoom).first_query == 0.0);
}

TEST_CASE("a row is marked at both sides of its map, beside the cells", "[ui][geometry]") {
  const std::int64_t tokens = GENERATE(1, 31, 255);
  const MapGeometry map = PlaceMap(kSpace, tokens, tokens, {});
  for (std::int64_t query = 0; query < tokens; ++query) {
    const auto marks = MarksOfRow(map, query, 4.0F);
    REQUIRE(marks);
    const Rect row = map.CellRect({query, 0});
    CHECK(marks->left.height >= 8.0F);
    CHECK(marks->left.x + marks->left.width <= map.target.x);
    CHECK(marks->right.x >= map.target.x + map.target.width);
    CHECK(marks->left.y == marks->right.y);
    CHECK(std::abs(marks->left.y + marks->left.height / 2.0F - row.y - row.height / 2.0F) <= 4.0F);
  }
  CHECK_FALSE(MarksOfRow(map, tokens, 4.0F));
  CHECK_FALSE(MarksOfRow(map, -1, 4.0F));
  const MapGeometry zoomed = PlaceMap(kSpace, 31, 31, {.zoom = 10.0});
  CHECK_FALSE(MarksOfRow(zoomed, 0, 4.0F));  // not in sight
  CHECK(MarksOfRow(zoomed, 16, 4.0F));
}

TEST_CASE("the place for a large map keeps what stands below it in sight", "[ui][geometry]") {
  const Rect panel{1000.0F, 56.0F, 560.0F, GENERATE(614.0F, 914.0F, 1400.0F)};
  const MapSpace space = SpaceForMap(
      {.panel = panel, .x = 1018.0F, .y = 140.0F, .width = 524.0F, .below = 250.0F, .scale = 1.0F});
  CHECK(space.whole.height <= space.whole.width);
  CHECK(space.whole.height >= 240.0F);
  CHECK(space.zoomed.height >= space.whole.height);
  CHECK(space.zoomed.y + space.zoomed.height <= panel.y + panel.height - 64.0F);
}

// 40 layers of 40 heads, in the windows that people have.
GridLayout ManyHeads(float width, float height, std::int64_t layers, std::int64_t heads) {
  return LayOutGrid({.area = {64.0F, 100.0F, width, height},
                     .visible = {64.0F, 100.0F, width, height},
                     .layers = layers,
                     .heads = heads,
                     .bar = 10.0F});
}

TEST_CASE("no scroll bar and no name lies over a map", "[ui][geometry][grid]") {
  struct Size {
    float width;
    float height;
    std::int64_t layers;
    std::int64_t heads;
  };
  const Size size = GENERATE(Size{976, 850, 40, 40},
                             Size{936, 560, 40, 40},
                             Size{976, 850, 2, 40},
                             Size{976, 850, 40, 4},
                             Size{976, 850, 1, 128},
                             Size{976, 850, 4, 8});
  const GridLayout grid = ManyHeads(size.width, size.height, size.layers, size.heads);
  const Rect& cells = grid.cells;
  // As ImGui decides it.
  const bool has_right =
      grid.content_height > grid.view.height ||
      (grid.content_width > grid.view.width && grid.content_height > grid.view.height - 10.0F);
  const bool has_bottom = grid.content_width >
                          grid.view.width - (grid.content_height > grid.view.height ? 10.0F : 0.0F);
  CHECK(cells.x == grid.view.x);
  CHECK(cells.y == grid.view.y);
  CHECK(cells.width == grid.view.width - (has_right ? 10.0F : 0.0F));
  CHECK(cells.height == grid.view.height - (has_bottom ? 10.0F : 0.0F));
  // Names stand above and at the left of the cells.
  CHECK(cells.x >= 64.0F + 40.0F);
  CHECK(cells.y >= 100.0F + 24.0F);
  // A direction that need not scroll does not.
  CHECK((size.layers < 10 || has_right));
  CHECK(has_right == (size.layers >= 40));
  CHECK(has_bottom == (size.heads >= 40));
  // Scrolled to its end, the last head is in sight whole.
  const Rect last = grid.Cell({size.layers - 1, size.heads - 1},
                              std::max(0.0F, grid.content_width - cells.width),
                              std::max(0.0F, grid.content_height - cells.height));
  CHECK(Intersection(last, cells) == last);
  CHECK(grid.Shows(last));
}

TEST_CASE("the head counts say what they are and what they pool", "[ui][geometry][counts]") {
  const std::vector<CountsRowWish> counts = {
      {.heads = 1}, {.heads = 2}, {.heads = 4}, {.heads = 8}};
  const CountsLayout layout = LayOutCounts(counts, 900.0F, 1.0F);
  const std::string plain = CountsWords(layout, 31, 31, 128);
  CHECK(plain ==
        "The same layer with its columns cut into other numbers of heads; the trained number is "
        "marked.");
  CHECK(CountsWords(layout, 255, 255, 128) ==
        plain +
            " Pooled: a cell is the largest of up to 2 × 2 weights. Where cells are smaller "
            "than a pixel, it shows the largest weight under it.");
  CHECK(CountsWords(layout, 120, 60, 128).find("it shows the largest") != std::string::npos);
  CHECK(CountsWords(layout, 120, 60, 128).find("Pooled") == std::string::npos);
  const CountsLayout lower = LayOutCounts(counts, 900.0F, 1.0F, 30.0F);
  CHECK(lower.rows[0].y == layout.rows[0].y + 30.0F);
  CHECK(lower.content_height == layout.content_height + 30.0F);
}

}  // namespace
}  // namespace headscope::test
