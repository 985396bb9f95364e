#include "app/state/inspect/map_tiles.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr AttentionShape kLong = {.queries = 8192, .keys = 8192, .heads = 1, .kv_heads = 1};

// As long as it takes to be drawn from tiles: 8 tiles a side at level 0.
constexpr std::int64_t kTokens = 2048;

std::vector<TileIndex> Asked(const StateDriver& driver) {
  const auto* submit = driver.Last<Submit>();
  const auto* request = submit != nullptr ? std::get_if<MapRequest>(&submit->request) : nullptr;
  return request != nullptr ? request->tiles : std::vector<TileIndex>();
}

TileReady MadeTile(const TileIndex& index, std::int64_t head = 0) {
  MapTile tile;
  tile.index = index;
  tile.head = head;
  tile.rows = 1;
  tile.cols = 1;
  tile.mean = {0.5F};
  tile.row_largest = {0.5F};
  return {std::make_shared<const MapTile>(tile)};
}

}  // namespace

TEST_CASE("the level shown is the finest whose cells are a pixel or more", "[state][tiles]") {
  const auto level = [](double zoom, double pixels) {
    return TilesShown(kLong, {.zoom = zoom}, {pixels, pixels}).level;
  };
  CHECK(level(1.0, 512.0) == 4);
  CHECK(level(1.0, 511.0) == 5);
  CHECK(level(2.0, 512.0) == 3);
  CHECK(level(16.0, 512.0) == 0);
  CHECK(level(1000.0, 512.0) == 0);
  CHECK(level(1.0, 0.5) == 14);
}

TEST_CASE("tiles shown cover the zoom's part and no more than they must", "[state][tiles]") {
  const MapSize size{512.0, 512.0};
  CHECK(TilesShown(kLong, {.zoom = 1.0}, size) == TileRange{4, 0, 2, 0, 2});
  const TileRange corner =
      TilesShown(kLong, {.zoom = 16.0, .center_x = 1.0 - 1.0 / 32, .center_y = 1.0 / 32}, size);
  CHECK(corner == TileRange{0, 0, 2, 30, 32});
  CHECK(WithNeighbours(corner, kLong) == TileRange{0, 0, 3, 29, 32});
  const TileRange middle = TilesShown(kLong, {.zoom = 16.0}, size);
  CHECK(middle == TileRange{0, 15, 17, 15, 17});
  CHECK(middle.Holds({0, 16, 15}));
  CHECK_FALSE(middle.Holds({1, 16, 15}));
  CHECK_FALSE(middle.Holds({0, 17, 15}));
  const std::vector<TileIndex> order = InOrder({0, 0, 3, 0, 3});
  CHECK(order.size() == 9);
  CHECK(order.front() == TileIndex{0, 1, 1});
  CHECK(InOrder(TilesShown(kLong, {}, {})).empty());
}

TEST_CASE("tiles least recently used go first, within their bytes", "[state][tiles]") {
  const auto layer = EvenLayer(0, 1, 4);
  TileCache cache;
  for (const std::int64_t col : {0, 1, 2}) {
    cache.Add(layer, MadeTile({0, 0, col}).tile);
  }
  CHECK(cache.bytes() == 3 * 8);
  cache.Add(layer, MadeTile({0, 0, 1}).tile);  // again: in place of the first
  CHECK(cache.bytes() == 3 * 8);
  cache.Use(layer.get(), 0, {0, 0, 1, 0, 1});
  cache.ShrinkTo(2 * 8);
  CHECK(cache.size() == 2);
  CHECK(cache.Find(layer.get(), 0, {0, 0, 0}) != nullptr);
  CHECK(cache.Find(layer.get(), 0, {0, 0, 2}) == nullptr);
  CHECK(cache.Find(layer.get(), 1, {0, 0, 0}) == nullptr);
  cache.KeepOnly({});
  CHECK(cache.size() == 0);
  CHECK(cache.bytes() == 0);
}

TEST_CASE("a long map asks for the tiles on screen first, then for those around",
          "[state][tiles]") {
  StateDriver driver;
  driver.ShowSomething(kTokens, true);
  CHECK(driver.CountRequests<MapRequest>() == 0);  // the size on screen is not known yet
  driver.Do(MapDrawn{{512.0, 512.0}});
  CHECK(Asked(driver) == InOrder({2, 0, 2, 0, 2}));
  driver.Do(ZoomMap{4.0, 0.5, 0.5});
  const std::vector<TileIndex> asked = Asked(driver);
  REQUIRE(asked.size() == 16);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    CHECK(TileRange{0, 3, 5, 3, 5}.Holds(asked[i]) == (i < 4));
  }
}

TEST_CASE("moving the map asks for what is missing, and only then", "[state][tiles]") {
  StateDriver driver;
  driver.ShowSomething(kTokens, true);
  driver.Do(MapDrawn{{512.0, 512.0}});
  driver.Do(ZoomMap{4.0, 0.5, 0.5});
  driver.effects.clear();
  driver.Do(PanMap{0.1, 0.0});  // tiles that are being made
  CHECK(driver.CountRequests<MapRequest>() == 0);
  const RequestId id = driver.state.maps.request;
  const std::vector<TileIndex> wanted = driver.state.maps.wanted_tiles;
  for (const TileIndex& index : wanted) {
    driver.Event(id, MadeTile(index));
  }
  driver.Event(id, Finished{});
  CHECK(driver.CountRequests<MapRequest>() == 0);
  CHECK(driver.state.maps.tiles.size() == wanted.size());
  driver.Do(PanMap{0.4, 0.0});
  CHECK(driver.CountRequests<MapRequest>() == 0);
  driver.Do(PanMap{0.6, 0.0});
  CHECK(driver.CountRequests<MapRequest>() == 1);
  for (const TileIndex& index : Asked(driver)) {
    CHECK(std::find(wanted.begin(), wanted.end(), index) == wanted.end());
  }
}

TEST_CASE("another head asks for its own tiles; another text drops them", "[state][tiles]") {
  StateDriver driver;
  driver.ShowSomething(kTokens, true);
  driver.Do(MapDrawn{{512.0, 512.0}});
  driver.Event(driver.state.maps.request, MadeTile({2, 0, 0}));
  driver.Do(HoverHead{{0, 1}});
  CHECK(Asked(driver).size() == 4);
  CHECK(driver.state.maps.wanted.head == 1);
  driver.Do(EditText{"b"});
  driver.Answer(kTokens, true);
  CHECK(driver.state.maps.tiles.size() == 0);
  CHECK(driver.state.maps.wanted.layer == driver.state.shown.layers[0]);
}

TEST_CASE("tiles keep within the budget of maps", "[state][tiles]") {
  StateDriver driver;
  driver.ShowSomething(kTokens, true);
  driver.state.maps.byte_budget = 3 * 8;
  driver.Do(MapDrawn{{512.0, 512.0}});
  const RequestId id = driver.state.maps.request;
  for (const TileIndex& index : Asked(driver)) {
    driver.Event(id, MadeTile(index));
  }
  CHECK(driver.state.maps.tiles.bytes() <= 3 * 8);
}

}  // namespace headscope::test
