#include <cmath>

#include "app/views/inspect/grid_layout.h"
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
    driver.TypeAtOnce("L2H1");
    driver.Frames(4);
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

TEST_CASE("what a sink takes has a column beside the map", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(EditText{"with sinks"});
  driver.app.Answer(6, false, true);
  driver.Frames(3);
  const auto& maps = driver.region(Panel::kDetail).maps;
  REQUIRE(maps.size() == 2);
  const Rect map = maps[0].target;
  const Rect sink = maps[1].target;
  CHECK(sink.x > map.x + map.width);
  CHECK(sink.x + sink.width <= driver.layout().detail.x + driver.layout().detail.width);
  CHECK(sink.y == map.y);
  CHECK(sink.height == map.height);
  CHECK(driver.renderer().maps.at(maps[1].map) == std::pair<std::int64_t, std::int64_t>{6, 1});
  CHECK(driver.Says("sink"));
  const std::vector<float> taken = driver.renderer().uploaded.at(maps[1].map);
  for (std::size_t row = 0; row < taken.size(); ++row) {
    CHECK(std::abs(taken[row] - 1.0F / static_cast<float>(row + 2)) < 1e-6F);
  }
  // It is told, and leads to its row.
  driver.MoveTo(sink.x + sink.width / 2.0F, sink.y + sink.height * 2.5F / 6.0F);
  driver.Frames(40);
  CHECK(driver.state().selection.row == 2);
  CHECK(driver.Says("sink takes 0.25 of"));
  // Zoomed, it shows the rows that the map shows.
  const auto [x, y] = CellAt(driver, {4, 1}, 6);
  driver.Wheel(x, y, 4.0F);
  const auto& zoomed = driver.region(Panel::kDetail).maps;
  REQUIRE(zoomed.size() == 2);
  CHECK(zoomed[1].source.y == zoomed[0].source.y);
  CHECK(zoomed[1].source.height == zoomed[0].source.height);
  CHECK(zoomed[0].source.height < 6.0F);
}

TEST_CASE("a held cell says who wrote its score, and a head's line leads to it", "[ui][inspect]") {
  PanelDriver driver(1600.0F, 1200.0F);  // so that all of it stands in the window
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = CellAt(driver, {3, 1}, 6);
  driver.MoveTo(x, y);
  CHECK_FALSE(driver.Says("Why this cell?"));
  driver.Click(x, y);
  CHECK(driver.Says("Why this cell?"));
  CHECK(driver.Says("taking its score apart…"));
  CellSources sources;
  const Writer token{.kind = WriterKind::kToken};
  const Writer head{.kind = WriterKind::kHead, .layer = {ModelPart::kWhole, 0}, .head = 3};
  sources.queries = {{token, 4.0}};
  sources.keys = {{head, 4.5}, {token, -0.5}};
  sources.terms = {4.5, -0.5};
  sources.total = 4.0;
  sources.model_dot = 4.0;
  RankTerms(&sources);
  const RequestId id = driver.state().why.request;
  driver.app.Event(id, SourcesReady{std::make_shared<const CellSources>(sources)});
  driver.app.Event(id, Finished{});
  driver.Frames(2);
  CHECK(driver.Says("the score, +4.00, by who wrote it"));
  CHECK(driver.Says("in the key w1"));
  CHECK(driver.Says("in the query w3"));
  CHECK(driver.Says("in the query × in the key, largest pairs"));
  CHECK_FALSE(driver.Says("All"));  // nothing is left out
  const Rect& panel = driver.layout().detail;
  for (float at = panel.y + panel.height; at > y && !driver.state().selection.head_locked;
       at -= 7.0F) {
    driver.Click(panel.x + 40.0F, at);
  }
  CHECK(driver.state().selection.head == HeadIndex{0, 3});
  CHECK(driver.state().selection.point == MapPoint{3, 1});
  CHECK(driver.Says("taking its score apart…"));
}

TEST_CASE("a held cell's writers lead to patching: heads by their path, MLPs to their map",
          "[ui][inspect]") {
  PanelDriver driver(1600.0F, 1200.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(ShowHead{{2, 1}});
  driver.Frames(3);
  const auto [x, y] = CellAt(driver, {3, 1}, 6);
  driver.Click(x, y);
  CellSources sources;
  const Writer token{.kind = WriterKind::kToken};
  const Writer head{.kind = WriterKind::kHead, .layer = {ModelPart::kWhole, 0}, .head = 3};
  const Writer mlp{.kind = WriterKind::kMlp, .layer = {ModelPart::kWhole, 1}};
  sources.queries = {{token, 4.0}};
  const bool has_mlp = GENERATE(false, true);
  sources.keys = {{head, 4.5}, {has_mlp ? mlp : token, -0.5}};
  sources.terms = {4.5, -0.5};
  sources.total = 4.0;
  sources.model_dot = 4.0;
  RankTerms(&sources);
  const RequestId id = driver.state().why.request;
  driver.app.Event(id, SourcesReady{std::make_shared<const CellSources>(sources)});
  driver.app.Event(id, Finished{});
  driver.Frames(2);
  CHECK(driver.Says("MLP L1") == has_mlp);
  CHECK(driver.Says("path"));
  const Rect& panel = driver.layout().detail;
  // Upwards, an MLP's line comes first.
  const auto click_up = [&](float at_x) {
    for (float at = panel.y + panel.height; at > y && !driver.state().screen->compares;
         at -= 7.0F) {
      driver.Click(at_x, at);
    }
    return driver.state().screen->compares;
  };
  const PatchLook& look = driver.state().compare.patch_look;
  if (has_mlp) {
    REQUIRE(click_up(panel.x + 40.0F));
    CHECK(look.is_shown);
    CHECK_FALSE(look.paths.is_shown);
    CHECK(look.of_layers == PatchWhat::kMlp);
    return;
  }
  bool found = false;
  for (float at_x = panel.x + 112.0F; at_x < panel.x + 160.0F && !found; at_x += 12.0F) {
    found = click_up(at_x);
  }
  REQUIRE(found);
  CHECK(look.paths.is_shown);
  CHECK(look.paths.input == HeadInput::kKeys);
  CHECK(look.paths.to == std::vector<HeadIndex>{{2, 1}});
  CHECK(driver.state().selection.head == HeadIndex{0, 3});
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

TEST_CASE("pieces of a word are marked on the axes, in the strip and in the row panel",
          "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  Encoding encoding = *driver.state().shown.encoding;
  encoding.tokens[3].word = encoding.tokens[2].word;
  driver.app.state.shown.encoding = std::make_shared<const Encoding>(std::move(encoding));
  driver.Frames(3);
  const auto& labels = driver.renderer().labels;
  CHECK(std::count(labels.begin(), labels.end(), "·w3") >= 4);  // two axes, strip, bars
  CHECK(std::count(labels.begin(), labels.end(), "w3") == 0);
  const auto& chips = driver.memory().chips.rects;
  CHECK(chips[3].x == chips[2].x + chips[2].width);
  CHECK(chips[4].x > chips[3].x + chips[3].width);
  const auto [x, y] = CellAt(driver, {3, 2}, 6);
  driver.MoveTo(x, y);
  driver.Frame();
  CHECK(driver.Says("query 3 “·w3” → key 2 “w2”"));
}

TEST_CASE("the row that the panel tells stays marked when the pointer has left", "[ui][inspect]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const auto [x, y] = CellAt(driver, {3, 1}, 6);
  driver.MoveTo(x, y);
  driver.MoveTo(200.0F, 990.0F);
  driver.Frames(2);
  CHECK_FALSE(driver.state().selection.point);
  REQUIRE(driver.memory().row_marks);
  const Rect& map = driver.region(Panel::kDetail).maps.front().target;
  CHECK(driver.memory().row_marks->left.y == map.y + map.height * 3.0F / 6.0F);
  CHECK(driver.memory().row_marks->left.x + driver.memory().row_marks->left.width <= map.x);
}

TEST_CASE("the wheel lets the map grow into the panel", "[ui][inspect]") {
  PanelDriver driver(1600.0F, GENERATE(700.0F, 1000.0F));
  driver.app.ShowSomething(24);
  driver.Frames(3);
  const Rect before = driver.region(Panel::kDetail).maps.front().target;
  const auto [x, y] = CellAt(driver, {12, 6}, 24);
  driver.Wheel(x, y, 5.0F);
  const Rect after = driver.region(Panel::kDetail).maps.front().target;
  CHECK(after.x == before.x);
  CHECK(after.y == before.y);
  CHECK(after.width > before.width);
  CHECK(after.height >= before.height);
  CHECK(after.x + after.width <= driver.layout().window.width - 18.0F);
  CHECK(driver.state().selection.point == MapPoint{12, 6});
  driver.Type("0");
  driver.Frame();
  CHECK(driver.region(Panel::kDetail).maps.front().target == before);
}

TEST_CASE("maps of many heads are cut off where names and bars stand", "[ui][inspect]") {
  PanelDriver driver(GENERATE(1000.0F, 1600.0F), 700.0F);
  driver.app.Open("many", 40, 40);
  driver.app.Do(EditText{"a b"});
  driver.app.Answer(5);
  driver.Frames(4);
  const SceneRegion& region = driver.region(Panel::kMiddle);
  const float bar = ImGui::GetStyle().ScrollbarSize;
  CHECK(region.maps_clip.x >= region.rect.x + 40.0F);
  CHECK(region.maps_clip.y >= region.rect.y + 24.0F);
  CHECK(region.maps_clip.x + region.maps_clip.width <= region.rect.x + region.rect.width - bar);
  CHECK(region.maps_clip.y + region.maps_clip.height <= region.rect.y + region.rect.height - bar);
  CHECK(region.maps.size() > 40);
  CHECK(region.maps.size() < 800);
  for (const FilledRect& fill : region.fills) {
    CHECK(Intersection(fill.rect, region.maps_clip) == fill.rect);
  }
  CHECK(driver.Says("H0"));
  CHECK(driver.Says("L0"));
  // A jump brings its head and its names into sight.
  driver.Type("L39H39");
  driver.Press(Key::kEnter);
  driver.Frames(4);
  CHECK(driver.Says("H39"));
  CHECK(driver.Says("L39"));
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
  map->of = {driver.state().shown.layers[0], 0};
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
