// Texts whose maps are drawn from tiles.
#include "app/views/screens.h"
#include "core/attention/map_tile.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

constexpr std::int64_t kTokens = 1280;

// The large map's pieces lie over each other nowhere and leave nothing of its place out.
void CheckCovered(PanelDriver* driver) {
  const Rect& place = driver->memory().map_rect;
  double area = 0.0;
  for (const MapPlacement& piece : driver->region(Panel::kDetail).maps) {
    CHECK(piece.map != 0);
    CHECK(piece.target.x >= place.x - 0.01F);
    CHECK(piece.target.y >= place.y - 0.01F);
    CHECK(piece.target.x + piece.target.width <= place.x + place.width + 0.01F);
    CHECK(piece.target.y + piece.target.height <= place.y + place.height + 0.01F);
    // Cells are square, and none is less than a pixel but a thumbnail's.
    CHECK(piece.source.width / piece.target.width ==
          Approx(piece.source.height / piece.target.height).epsilon(1e-3));
    area += static_cast<double>(piece.target.width * piece.target.height);
  }
  CHECK(area == Approx(static_cast<double>(place.width * place.height)).epsilon(1e-3));
}

// Answers the request for tiles that is under way, as the worker does.
void MakeTiles(PanelDriver* driver) {
  const MapsInFull& maps = driver->state().maps;
  REQUIRE(maps.wanted.layer != nullptr);
  const auto [layer, head] = maps.wanted;
  const RequestId id = maps.request;
  const std::vector<TileIndex> wanted = maps.wanted_tiles;
  for (const TileIndex& index : wanted) {
    driver->app.Event(
        id, TileReady{std::make_shared<const MapTile>(*MakeTile(*layer, head, index, {}))});
  }
  driver->app.Event(id, Finished{});
}

TEST_CASE("a long map is there at once, finer as its tiles are made", "[ui][tiles]") {
  PanelDriver driver;
  driver.app.ShowSomething(kTokens, true);
  driver.Frames(3);
  CheckCovered(&driver);
  CHECK(driver.Says("coarser"));
  MakeTiles(&driver);
  driver.Frames(3);
  CheckCovered(&driver);
  CHECK(driver.Says("pooled:"));
  const auto pieces = driver.region(Panel::kDetail).maps;
  driver.app.Do(ZoomMap{5.0, 0.5, 0.5});
  driver.Frames(2);
  CheckCovered(&driver);  // of the tiles that are there
  CHECK(driver.Says("coarser"));
  for (const MapPlacement& piece : driver.region(Panel::kDetail).maps) {
    CHECK(std::any_of(pieces.begin(), pieces.end(), [&](const MapPlacement& before) {
      return before.map == piece.map;
    }));
  }
  MakeTiles(&driver);
  driver.Frames(3);
  CheckCovered(&driver);
  CHECK(driver.Says("one"));  // "each cell shown is one weight"
  CHECK_FALSE(driver.Says("pooled:"));
}

TEST_CASE("where rows have their own range, tiles are drawn as positions", "[ui][tiles]") {
  PanelDriver driver;
  driver.app.ShowSomething(kTokens, true);
  driver.Frames(2);
  driver.app.Do(SetRange{RangeMode::kRow});
  MakeTiles(&driver);
  driver.Frames(2);
  for (const MapPlacement& piece : driver.region(Panel::kDetail).maps) {
    CHECK(piece.scale.range == RangeMode::kFixed);
    CHECK(piece.scale.curve == Curve::kLinear);
  }
}

TEST_CASE("what the pointer tells of a long map is the exact row", "[ui][tiles]") {
  PanelDriver driver;
  driver.app.ShowSomething(kTokens, true);
  driver.Frames(3);
  const Rect place = driver.memory().map_rect;
  driver.MoveTo(place.x + place.width * 0.25F, place.y + place.height * 0.75F);
  REQUIRE(driver.state().selection.point);
  const MapPoint cell = *driver.state().selection.point;
  REQUIRE(cell.query > 0);
  std::vector<float> row(static_cast<std::size_t>(kTokens));
  LayerAt(driver.state(), 0).layer->Row(0, cell.query, row);
  CHECK(driver.memory().told.query == cell.query);
  CHECK(driver.memory().told.weights == row);
}

TEST_CASE("the words of a long text are measured over some frames", "[ui][tiles]") {
  PanelDriver driver;
  driver.app.ShowSomething(kTokens, true);
  driver.Frame();
  const std::size_t first = driver.memory().chips.rects.size();
  CHECK(first > 0);
  CHECK(first < static_cast<std::size_t>(kTokens));
  driver.Frames(static_cast<int>(kTokens) / static_cast<int>(first) + 1);
  CHECK(driver.memory().chips.rects.size() == static_cast<std::size_t>(kTokens));
}

TEST_CASE("head counts of a text of any length are asked for", "[ui][tiles]") {
  PanelDriver driver;
  driver.app.ShowSomething(8200, true);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  driver.Frames(2);
  CHECK(driver.app.CountRequests<SplitJob>() == 1);
  CHECK(NoticeAt(driver.state(), ErrorPlace::kCounts) == nullptr);
  CHECK(driver.Says("Cutting this layer"));
}

TEST_CASE("head counts of a long text are asked for, and drawn from tiles", "[ui][tiles]") {
  PanelDriver driver;
  driver.app.ShowSomething(kTokens, true);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  driver.Frames(2);
  CHECK(driver.app.CountRequests<SplitJob>() == 1);
  CHECK(NoticeAt(driver.state(), ErrorPlace::kCounts) == nullptr);
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  for (const std::int64_t heads : {2, 4}) {
    SplitCount& count = split->counts.emplace_back();
    count.heads = heads;
    count.attention = EvenLayer(0, heads, kTokens, true);
  }
  driver.app.Event(driver.state().counts.request, SplitReady{split});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.app.Do(SelectCount{2, 1});
  driver.Frames(2);
  CHECK(driver.state().maps.wanted == MapView{split->counts[0].attention, 1});
  MakeTiles(&driver);
  driver.Frames(3);
  CheckCovered(&driver);
  const Rect& map = driver.memory().map_rect;
  driver.MoveTo(map.x + map.width * 0.3F, map.y + map.height * 0.7F);
  REQUIRE(driver.state().selection.point);
  const std::int64_t query = driver.state().selection.point->query;
  CHECK(driver.memory().told.map == MapView{split->counts[0].attention, 1});
  CHECK(driver.memory().told.weights[0] == 1.0F / static_cast<float>(query + 1));
}

}  // namespace
}  // namespace headscope::test
