// What is handed to the renderer is the exact weights, cell by cell: every weight differs from
// every other, so that a map that is transposed, shifted or another head's is found.
#include <cmath>

#include "app/views/screens.h"
#include "core/figure/pool.h"
#include "core/worker/head_map.h"
#include "tests/support/catch.h"
#include "tests/support/distinct_layer.h"
#include "tests/support/telling_maps.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

// Shows layers of 4 heads; returns them.
std::vector<DistinctLayer> ShowDistinct(PanelDriver* driver, std::int64_t tokens, bool causal) {
  driver->app.ShowSomething(tokens);
  driver->app.Do(EditText{"another text"});
  const RequestId id = driver->state().pending.request;
  driver->app.Event(id, Tokenized{NumberedWords(tokens), driver->state().pending.input});
  std::vector<DistinctLayer> layers;
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    layers.push_back(MakeDistinct({.id = {ModelPart::kWhole, layer},
                                   .heads = 4,
                                   .queries = tokens,
                                   .keys = tokens,
                                   .causal = causal}));
    driver->app.Event(id, LayerReady{layers.back().layer});
  }
  driver->app.Event(id, Finished{5.0, "stub, float32"});
  driver->Frames(3);
  return layers;
}

// [n, m] in float32: exp and sum of some ten terms in either order differ by less than this.
void CheckIsMap(const std::vector<float>& uploaded, const DistinctLayer& made, std::int64_t head) {
  const AttentionShape& shape = made.layer->shape();
  REQUIRE(static_cast<std::int64_t>(uploaded.size()) == shape.queries * shape.keys);
  for (std::int64_t query = 0; query < shape.queries; ++query) {
    for (std::int64_t key = 0; key < shape.keys; ++key) {
      const float cell = uploaded[static_cast<std::size_t>(query * shape.keys + key)];
      if (!made.layer->Visible(query, key)) {
        CHECK(cell == kMasked);
      } else {
        CHECK(std::abs(static_cast<double>(cell) - made.At(head, query, key)) < 1e-6);
      }
    }
  }
}

TEST_CASE("each thumbnail is its head's exact map", "[ui][textures]") {
  const bool causal = GENERATE(true, false);
  PanelDriver driver;
  const std::vector<DistinctLayer> layers = ShowDistinct(&driver, 9, causal);
  const auto& placed = driver.region(Panel::kMiddle).maps;
  REQUIRE(placed.size() == 12);
  for (std::int64_t layer = 0; layer < 3; ++layer) {
    for (std::int64_t head = 0; head < 4; ++head) {
      const MapPlacement& map = placed[static_cast<std::size_t>(layer * 4 + head)];
      CheckIsMap(
          driver.renderer().uploaded.at(map.map), layers[static_cast<std::size_t>(layer)], head);
    }
  }
}

TEST_CASE("the large map is the selected head's, whole and upright", "[ui][textures]") {
  PanelDriver driver;
  const std::vector<DistinctLayer> layers = ShowDistinct(&driver, 9, false);
  driver.app.Do(ClickHead{{1, 2}});
  driver.Frames(3);
  REQUIRE(driver.region(Panel::kDetail).maps.size() == 1);
  const MapPlacement& map = driver.region(Panel::kDetail).maps.front();
  CheckIsMap(driver.renderer().uploaded.at(map.map), layers[1], 2);
  CHECK(map.source == Rect{0.0F, 0.0F, 9.0F, 9.0F});
  CHECK(map.scale.low == 0.0F);
  CHECK(map.scale.high == 1.0F);
}

TEST_CASE("the row that is told is the exact row under the pointer", "[ui][textures]") {
  PanelDriver driver;
  const std::vector<DistinctLayer> layers = ShowDistinct(&driver, 9, false);
  const Rect& target = driver.region(Panel::kDetail).maps.front().target;
  driver.MoveTo(target.x + target.width * 2.5F / 9.0F, target.y + target.height * 6.5F / 9.0F);
  CHECK(driver.Says("query 6 “w6” → key 2 “w2”"));
  CHECK(driver.memory().told.query == 6);
  REQUIRE(driver.memory().told.weights.size() == 9);
  for (std::int64_t key = 0; key < 9; ++key) {
    const auto told =
        static_cast<double>(driver.memory().told.weights[static_cast<std::size_t>(key)]);
    CHECK(std::abs(told - layers[0].At(0, 6, key)) < 1e-6);
  }
}

TEST_CASE("zoomed, the map shows the part that is said, rows from rows", "[ui][textures]") {
  PanelDriver driver;
  ShowDistinct(&driver, 9, false);
  driver.app.Do(ZoomMap{3.0, 0.0, 1.0});  // about the lower left corner
  driver.Frames(2);
  const Rect& source = driver.region(Panel::kDetail).maps.front().source;
  CHECK(source.x == Approx(0.0).margin(1e-4));
  CHECK(source.y == Approx(6.0).margin(1e-4));
  CHECK(source.height == Approx(3.0));  // down to the end
  CHECK(source.width >= 3.0F);          // and as far across as there is room
  const Rect& target = driver.region(Panel::kDetail).maps.front().target;
  CHECK(target.width / source.width == Approx(target.height / source.height).epsilon(0.01));
}

TEST_CASE("a pointer that rests asks for nothing more", "[ui][textures]") {
  const bool locked = GENERATE(false, true);
  const bool counts = GENERATE(false, true);
  PanelDriver driver;
  driver.app.ShowSomething(12);
  if (counts) {
    // The maps are of the text before, whose last rows the new one does not have.
    driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
    auto split = std::make_shared<SplitResult>();
    split->trained_heads = 4;
    SplitCount count;
    count.heads = 4;
    count.attention = MakeDistinct({.id = {}, .heads = 4, .queries = 12, .keys = 12}).layer;
    split->counts.push_back(count);
    driver.app.Event(driver.state().counts.request, SplitReady{split});
    driver.app.Event(driver.state().counts.request, Finished{});
    driver.app.Do(EditText{"shorter"});
    driver.app.Answer(4);
  }
  driver.Frames(4);
  const Rect map = driver.memory().map_rect;
  REQUIRE(map.width > 0.0F);
  driver.MoveTo(map.x + map.width * 0.1F, map.y + map.height * 0.95F);
  if (locked) {
    driver.Click(map.x + map.width * 0.1F, map.y + map.height * 0.95F);
    driver.MoveTo(map.x + map.width * 0.3F, map.y + map.height * 0.8F);
  }
  driver.Frames(4);
  CHECK(driver.last_actions() == 0);
}

TEST_CASE("maps of head counts are theirs, masked where the layer is", "[ui][textures]") {
  const std::int64_t tokens = GENERATE(9, 200);  // the second is pooled in the rows of maps
  PanelDriver driver;
  driver.app.ShowSomething(tokens);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  for (const std::int64_t heads : {1, 4}) {
    SplitCount count;
    count.heads = heads;
    count.attention = TellingLayer(heads, tokens, tokens, {.causal = true}, kThumbnailSize);
    split->counts.push_back(count);
  }
  driver.app.Event(driver.state().counts.request, SplitReady{split});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.Frames(5);
  const auto& placed = driver.region(Panel::kMiddle).maps;
  REQUIRE(placed.size() == 5);
  for (std::size_t i = 0; i < placed.size(); ++i) {
    const MapView map{.layer = split->counts[i == 0 ? 0 : 1].attention,
                      .head = i == 0 ? 0 : static_cast<std::int64_t>(i) - 1};
    std::vector<float> expected(static_cast<std::size_t>(tokens * tokens));
    map.DrawableRows(0, tokens, expected);
    CHECK(expected[1] == kMasked);
    if (tokens > kThumbnailSize) {
      expected = PoolMap(expected, tokens, tokens, tokens / 2, tokens / 2, Pool::kLargest);
    }
    CHECK(driver.renderer().uploaded.at(placed[i].map) == expected);
  }
}

TEST_CASE("a map of a cut is asked for in full and told exactly", "[ui][textures]") {
  PanelDriver driver;
  driver.app.ShowSomething(200);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  // Pooled, so that the whole map is wanted.
  LayerAttention::Content content =
      MakeDistinct({.id = {}, .heads = 4, .queries = 200, .keys = 200}).layer->content();
  for (Thumbnail& thumbnail : content.thumbnails) {
    thumbnail.pooled = true;
    thumbnail.max = thumbnail.mean;
  }
  SplitCount& count = split->counts.emplace_back();
  count.heads = 4;
  count.attention = std::make_shared<const LayerAttention>(std::move(content));
  driver.app.Event(driver.state().counts.request, SplitReady{split});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.app.Do(SelectCount{4, 2});
  const MapView map{.layer = count.attention, .head = 2};
  CHECK(driver.state().maps.wanted == map);
  driver.app.Event(driver.state().maps.request, MapReady{*MakeHeadMap(map, {})});
  driver.Frames(5);
  REQUIRE(driver.region(Panel::kDetail).maps.size() == 1);
  const MapPlacement& placed = driver.region(Panel::kDetail).maps.front();
  CHECK(driver.renderer().maps.at(placed.map).first == 200);
  const Rect& target = placed.target;
  driver.MoveTo(target.x + target.width * 0.25F, target.y + target.height * 0.75F);
  REQUIRE(driver.state().selection.point);
  const MapPoint point = *driver.state().selection.point;
  std::vector<float> row(200);
  map.layer->Row(2, point.query, row);
  CHECK(driver.memory().told.weights == row);
  CHECK(driver.Says("query"));
}

}  // namespace
}  // namespace headscope::test
