#include "app/views/grid_layout.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

// The middle of a thumbnail, from where the scene has it.
std::pair<float, float> ThumbnailAt(const PanelDriver& driver, HeadIndex head) {
  const auto& maps = driver.region(Panel::kMiddle).maps;
  const auto heads = static_cast<std::size_t>(ShownHeads(driver.state()));
  const Rect& rect =
      maps[static_cast<std::size_t>(head.layer) * heads + static_cast<std::size_t>(head.head)]
          .target;
  return {rect.x + rect.width / 2.0F, rect.y + rect.height / 2.0F};
}

std::pair<float, float> CellAt(const PanelDriver& driver, CellIndex cell, std::int64_t tokens) {
  const Rect& map = driver.region(Panel::kDetail).maps.front().target;
  const float side = map.width / static_cast<float>(tokens);
  return {map.x + (static_cast<float>(cell.key) + 0.5F) * side,
          map.y + (static_cast<float>(cell.query) + 0.5F) * side};
}

TEST_CASE("every head has its thumbnail, and one map stands large", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  CHECK(driver.region(Panel::kMiddle).maps.size() == 12);
  REQUIRE(driver.region(Panel::kDetail).maps.size() == 1);
  const Rect& target = driver.region(Panel::kDetail).maps.front().target;
  CHECK(target.width == target.height);
  CHECK(std::fmod(target.width, 6.0F) == 0.0F);  // whole pixels a cell
  CHECK(driver.Says("L0H0"));
  CHECK(driver.Says("H3"));
  CHECK(driver.Says("L2"));
}

TEST_CASE("the pointer previews, a click locks, Esc unlocks", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = ThumbnailAt(driver, {1, 2});
  driver.MoveTo(x, y);
  CHECK(driver.state().selection.head == HeadIndex{1, 2});
  CHECK_FALSE(driver.state().selection.head_locked);
  driver.Click(x, y);
  CHECK(driver.state().selection.head_locked);
  const auto [other_x, other_y] = ThumbnailAt(driver, {2, 0});
  driver.MoveTo(other_x, other_y);
  CHECK(driver.state().selection.head == HeadIndex{1, 2});
  driver.Press(Key::kEscape);
  CHECK_FALSE(driver.state().selection.head_locked);
  driver.Click(other_x, other_y);
  driver.Click(other_x, other_y);  // a second click unlocks too
  CHECK(driver.state().selection.head == HeadIndex{2, 0});
  CHECK_FALSE(driver.state().selection.head_locked);
}

TEST_CASE("arrows walk although the pointer rests on a thumbnail", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = ThumbnailAt(driver, {0, 0});
  driver.MoveTo(x, y);
  driver.Press(Key::kRight);
  driver.Press(Key::kDown);
  driver.Frames(5);
  CHECK(driver.state().selection.head == HeadIndex{1, 1});
  driver.Press(Key::kLeft);
  driver.Press(Key::kUp);
  CHECK(driver.state().selection.head == HeadIndex{0, 0});
}

TEST_CASE("typing L2H1 jumps there, whole and at once", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  SECTION("letter by letter") {
    driver.Type("L2H1");
  }
  SECTION("all in one frame") {
    for (const char c : std::string("L2H1")) {
      ImGui::GetIO().AddInputCharacter(static_cast<unsigned char>(c));
    }
    driver.Frames(2);
  }
  SECTION("after Ctrl+K") {
    driver.PressCtrl('K');
    driver.Type("layer 2 head 1");
  }
  CHECK(driver.state().dialogs.popup == Popup::kJump);
  driver.Press(Key::kEnter);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  CHECK(driver.state().selection.head == HeadIndex{2, 1});
}

TEST_CASE("the pointed cell is told exactly and a click holds it", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = CellAt(driver, {3, 1}, 6);
  driver.MoveTo(x, y);
  CHECK(driver.state().selection.point == MapPoint{3, 1});
  CHECK(driver.state().selection.row == 3);
  CHECK(driver.Says("query 3 “w3” → key 1 “w1”"));
  driver.Click(x, y);
  CHECK(driver.state().selection.point_locked);
  driver.MoveTo(10.0F, 500.0F);
  REQUIRE(driver.state().selection.point);
  CHECK(driver.state().selection.point->query == 3);
  driver.Press(Key::kEscape);
  CHECK_FALSE(driver.state().selection.point_locked);
}

// Where a token of the strip under the map is; found by pointing.
std::pair<float, float> PlaceOfToken(PanelDriver* driver, std::int64_t query) {
  const Rect map = driver->memory().map_rect;
  for (float y = map.y + map.height; y < 990.0F; y += 5.0F) {
    for (float x = map.x; x < map.x + map.width; x += 12.0F) {
      driver->MoveTo(x, y);
      if (driver->state().selection.point == MapPoint{query}) {
        return {x, y};
      }
    }
  }
  FAIL("no token " << query << " is under the map");
  return {};
}

TEST_CASE("a token that is held is a row, and the map tells its cells", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = PlaceOfToken(&driver, 4);
  driver.Click(x, y);
  CHECK(driver.state().selection.point_locked);
  const auto [map_x, map_y] = CellAt(driver, {1, 3}, 6);
  driver.MoveTo(map_x, map_y);
  CHECK(driver.Says("query 4 “w4” → key 3 “w3”"));
  CHECK(driver.state().selection.point == MapPoint{4});
}

TEST_CASE("a masked cell says so", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = CellAt(driver, {1, 4}, 6);
  driver.MoveTo(x, y);
  driver.Frame();
  CHECK(driver.Says("masked: this key comes after the query"));
}

TEST_CASE("the wheel zooms about the pointer, a drag pans, 0 fits", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(24);
  driver.Frames(3);
  const auto [x, y] = CellAt(driver, {12, 6}, 24);
  driver.Wheel(x, y, 3.0F);
  CHECK(driver.state().selection.zoom.zoom == Approx(1.953125));
  driver.MoveTo(x + 1.0F, y);
  CHECK(driver.state().selection.point == MapPoint{12, 6});  // the cell stays under the pointer
  const double center = driver.state().selection.zoom.center_x;
  driver.Drag(x, y, -40.0F, 0.0F);
  CHECK(driver.state().selection.zoom.center_x > center);
  CHECK_FALSE(driver.state().selection.point_locked);  // a drag is not a click
  driver.Type("0");
  CHECK(driver.state().selection.zoom == MapZoom{});
}

TEST_CASE("curve, range, colour map and theme go by key", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.Type("crvt");
  CHECK(driver.state().settings.curve == Curve::kLog);
  CHECK(driver.state().settings.range == RangeMode::kRow);
  CHECK(driver.state().settings.colormap == Colormap::kCividis);
  CHECK(driver.state().theme == Theme::kLight);
  driver.Frame();
  CHECK(driver.region(Panel::kMiddle).maps.front().scale.colormap == Colormap::kCividis);
}

TEST_CASE("a long text: thumbnails first, the whole map when it comes", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(40, true);
  driver.Frames(2);
  CHECK(driver.Says("pooled"));
  auto map = std::make_shared<HeadMap>();
  map->queries = 40;
  map->keys = 40;
  map->weights.assign(1600, 0.1F);
  driver.app.Event(driver.state().maps.request, MapReady{map});
  driver.Frames(2);
  const auto& placed = driver.region(Panel::kDetail).maps.front();
  CHECK(driver.renderer().maps.at(placed.map).first == 40);
  CHECK(placed.source.width == 40.0F);
}

TEST_CASE("while a new text takes long the old picture is dimmed", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.app.Do(EditText{"slow"});
  driver.app.state.pending.started_s = 1e6;  // has only just begun
  driver.Frame();
  CHECK_FALSE(driver.region(Panel::kMiddle).maps.front().dimmed);
  driver.app.state.pending.started_s = -1.0;
  driver.Frame();
  CHECK(driver.region(Panel::kMiddle).maps.front().dimmed);
  CHECK(driver.region(Panel::kDetail).maps.front().dimmed);
  CHECK(driver.Says("Cancel"));
}

}  // namespace
}  // namespace headscope::test
