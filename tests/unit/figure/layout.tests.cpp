#include "core/figure/layout.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/cell_at.h"

namespace headscope {
namespace {

TEST_CASE("Cells are whole pixels where a cell has a pixel", "[figure][layout]") {
  const MapLayout layout = FitMap(10.0, 20.0, 105.0, 300.0, 10, 10);
  CHECK(layout.cell == 10.0);
  CHECK(layout.x == 10.0);
  CHECK(layout.y == 20.0);
  CHECK(layout.width() == 100.0);
}

TEST_CASE("A map larger than its place gets cells below one pixel", "[figure][layout]") {
  const MapLayout layout = FitMap(0.0, 0.0, 512.0, 512.0, 1024, 1024);
  CHECK(layout.cell == 0.5);
}

TEST_CASE("The map fits whatever its shape", "[figure][layout]") {
  const std::int64_t queries = GENERATE(1, 2, 7, 64, 300, 1024);
  const std::int64_t keys = GENERATE(1, 3, 64, 1000);
  const double width = GENERATE(1.0, 99.5, 800.0);
  const MapLayout layout = FitMap(3.0, 4.0, width, 400.0, queries, keys);
  CHECK(layout.width() <= width + 1e-9);
  CHECK(layout.height() <= 400.0 + 1e-9);
  CHECK((layout.cell < 1.0 || layout.cell == std::floor(layout.cell)));
  // One pixel more a cell would not fit.
  const double larger = layout.cell + 1.0;
  CHECK((larger * static_cast<double>(keys) > width ||
         larger * static_cast<double>(queries) > 400.0));
}

TEST_CASE("The middle of each cell is found again", "[figure][layout]") {
  const MapLayout layout = FitMap(7.0, 9.0, 120.0, 70.0, 5, 8);
  for (std::int64_t query = 0; query < 5; ++query) {
    for (std::int64_t key = 0; key < 8; ++key) {
      const auto cell = test::CellAt(layout,
                                     layout.x + (static_cast<double>(key) + 0.5) * layout.cell,
                                     layout.y + (static_cast<double>(query) + 0.5) * layout.cell);
      REQUIRE(cell);
      CHECK(cell->query == query);
      CHECK(cell->key == key);
    }
  }
}

TEST_CASE("A point outside is no cell", "[figure][layout]") {
  const MapLayout layout = FitMap(7.0, 9.0, 80.0, 80.0, 8, 8);
  CHECK_FALSE(test::CellAt(layout, 6.9, 10.0));
  CHECK_FALSE(test::CellAt(layout, 10.0, 8.9));
  CHECK_FALSE(test::CellAt(layout, 87.0, 10.0));
  CHECK_FALSE(test::CellAt(layout, 10.0, 89.0));
  REQUIRE(test::CellAt(layout, 86.9, 88.9));
  CHECK(test::CellAt(layout, 86.9, 88.9)->key == 7);
  CHECK_FALSE(test::CellAt(MapLayout{}, 0.0, 0.0));
  MapLayout empty = layout;
  empty.cell = 0.0;
  CHECK_FALSE(test::CellAt(empty, 7.0, 9.0));
}

}  // namespace
}  // namespace headscope
