#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("hover previews, click locks, click again or Esc unlocks", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(HoverHead{{1, 2}});
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
  driver.Do(ClickHead{{2, 3}});
  driver.Do(HoverHead{{0, 0}});
  CHECK(driver.state.selection.head == HeadIndex{2, 3});
  SECTION("Esc") {
    driver.Do(Escape);
  }
  SECTION("a second click") {
    driver.Do(ClickHead{{2, 3}});
  }
  CHECK_FALSE(driver.state.selection.head_locked);
  driver.Do(HoverHead{{0, 1}});
  CHECK(driver.state.selection.head == HeadIndex{0, 1});
}

TEST_CASE("steps walk heads and layers and stop at the ends", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(StepHead{.layers = 0, .heads = 1});
  driver.Do(StepHead{.layers = 1, .heads = 0});
  CHECK(driver.state.selection.head == HeadIndex{1, 1});
  CHECK(driver.state.selection.head_locked);
  for (int i = 0; i < 9; ++i) {
    driver.Do(StepHead{.layers = 1, .heads = -1});
  }
  CHECK(driver.state.selection.head == HeadIndex{2, 0});
}

TEST_CASE("the jump box takes every way to write a head", "[state][selection]") {
  const std::string text =
      GENERATE(as<std::string>{}, "L2H3", "l2h3", "2.3", "2-3", "layer 2 head 3");
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kJump});
  driver.Do(EditJump{text});
  driver.Do(Jump);
  CHECK(driver.state.selection.head == HeadIndex{2, 3});
  CHECK(driver.state.selection.head_locked);
  CHECK(driver.state.dialogs.popup == Popup::kNone);
}

TEST_CASE("the jump box says what is wrong and stays", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(OpenPopup{Popup::kJump});
  driver.Do(EditJump{"L3H0"});
  driver.Do(Jump);
  CHECK(driver.state.dialogs.popup == Popup::kJump);
  CHECK(driver.state.dialogs.jump_error == "There is no L3H0: layers are 0 to 2, heads 0 to 3.");
  driver.Do(EditJump{"what"});
  CHECK(driver.state.dialogs.jump_error.empty());
  driver.Do(Jump);
  CHECK_FALSE(driver.state.dialogs.jump_error.empty());
}

TEST_CASE("a pointed cell moves the row; a locked cell stays", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(PointCell{{3, 1}});
  CHECK(driver.state.selection.row == 3);
  driver.Do(PointCell{{-1, -1}});
  CHECK(driver.state.selection.row == 3);
  CHECK_FALSE(driver.state.selection.point);
  driver.Do(ClickCell{{4, 2}});
  driver.Do(PointCell{{0, 0}});
  driver.Do(PointCell{{1, -1}});
  REQUIRE(driver.state.selection.point);
  CHECK(driver.state.selection.point->query == 4);
  CHECK(driver.state.selection.row == 4);
  driver.Do(ClickHead{{0, 0}});
  driver.Do(Escape);  // the cell first
  CHECK_FALSE(driver.state.selection.point_locked);
  CHECK(driver.state.selection.head_locked);
  driver.Do(Escape);
  CHECK_FALSE(driver.state.selection.head_locked);
}

TEST_CASE("a token holds its row, which is no cell", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickCell{{2}});
  CHECK(driver.state.selection.point == MapPoint{2});
  CHECK_FALSE(driver.state.selection.point->cell());
  CHECK(driver.state.selection.point_locked);
  driver.Do(PointCell{{3, 1}});
  CHECK(driver.state.selection.point == MapPoint{2});
  driver.Do(ClickCell{{3, 1}});  // another place: held instead
  CHECK(driver.state.selection.point == MapPoint{3, 1});
  driver.Do(ClickCell{{3, 1}});
  CHECK_FALSE(driver.state.selection.point_locked);
}

TEST_CASE("what is not in the map is not pointed at", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething(6);
  const MapPoint point =
      GENERATE(MapPoint{6}, MapPoint{-1}, MapPoint{0, 6}, MapPoint{0, -1}, MapPoint{-1, -1});
  driver.Do(ClickCell{point});
  CHECK_FALSE(driver.state.selection.point);
  CHECK_FALSE(driver.state.selection.point_locked);
  CHECK(driver.state.selection.row == 5);
}

TEST_CASE("a text that replaces half of a picture takes rows past it away", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(ClickHead{{2, 0}});
  driver.Do(EditText{"longer"});
  const RequestId id = driver.state.pending.request;
  driver.Event(id, Tokenized{NumberedWords(9), driver.state.pending.input});
  driver.Event(id, LayerReady{EvenLayer(0, 4, 9)});
  driver.Do(ClickHead{{0, 0}});
  driver.Do(ClickCell{{8, 8}});
  SECTION("a head of a layer that is not there yet") {
    driver.Do(ClickHead{{2, 0}});
  }
  SECTION("a text that is typed meanwhile") {
    driver.Do(EditText{"other"});
  }
  CHECK(LayerAt(driver.state, driver.state.selection.head.layer).layer->shape().queries == 6);
  CHECK_FALSE(driver.state.selection.point);
  CHECK(driver.state.selection.row == 5);
}

TEST_CASE("cells and rows past a shorter text are dropped", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(ClickCell{{5, 5}});
  driver.Do(EditText{"short"});
  driver.Answer(3);
  CHECK(driver.state.selection.row == 2);
  CHECK_FALSE(driver.state.selection.point);
  CHECK_FALSE(driver.state.selection.point_locked);
}

TEST_CASE("a smaller model keeps the selection inside", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickHead{{2, 3}});
  driver.Open("tiny", 1, 2);
  driver.Answer(4);
  CHECK(driver.state.selection.head == HeadIndex{0, 1});
}

TEST_CASE("zoom keeps the point under the pointer", "[state][selection]") {
  MapZoom zoom;
  const double x = GENERATE(0.1, 0.5, 0.8);
  const double y = GENERATE(0.2, 0.9);
  const MapZoom nearer = ZoomAbout(zoom, 2.0, x, y, 100.0);
  CHECK(nearer.zoom == Approx(2.0));
  const double before_x = zoom.center_x + (x - 0.5) / zoom.zoom;
  const double after_x = nearer.center_x + (x - 0.5) / nearer.zoom;
  CHECK(after_x == Approx(before_x));
  const MapZoom back = ZoomAbout(nearer, 0.5, x, y, 100.0);
  CHECK(back == MapZoom{});
}

TEST_CASE("zoom and pan stay inside the map", "[state][selection]") {
  StateDriver driver;
  driver.ShowSomething(30);
  driver.Do(ZoomMap{1000.0, 0.5, 0.5});
  CHECK(driver.state.selection.zoom.zoom == Approx(10.0));  // three cells of thirty
  driver.Do(PanMap{50.0, -50.0});
  CHECK(driver.state.selection.zoom.center_x == Approx(0.95));
  CHECK(driver.state.selection.zoom.center_y == Approx(0.05));
  driver.Do(ResetZoom);
  CHECK(driver.state.selection.zoom == MapZoom{});
}

TEST_CASE("whole maps are asked for only where the thumbnail is pooled", "[state][maps]") {
  StateDriver driver;
  driver.ShowSomething(6, false);
  driver.Do(ClickHead{{1, 1}});
  CHECK(driver.CountRequests<MapRequest>() == 0);
}

TEST_CASE("whole maps: asked once, kept, and thrown out by age", "[state][maps]") {
  StateDriver driver;
  driver.ShowSomething(6, true);
  const auto give = [&driver](std::int64_t head) {
    driver.Do(HoverHead{{0, head}});
    auto map = std::make_shared<HeadMap>();
    map->of = {LayerAt(driver.state, 0).layer, head};
    map->weights.assign(100, 0.0F);
    const RequestId id = driver.state.maps.request;
    driver.Event(id, MapReady{map});
    driver.Event(id, Finished{});
  };
  driver.state.maps.byte_budget = 1000;  // two and a half maps
  give(1);
  give(2);
  driver.effects.clear();
  driver.Do(HoverHead{{0, 1}});  // cached, and now the youngest
  CHECK(driver.CountRequests<MapRequest>() == 0);
  give(3);
  const auto layer = LayerAt(driver.state, 0).layer;
  CHECK(MapAt(driver.state, {layer, 1}) != nullptr);
  CHECK(MapAt(driver.state, {layer, 2}) == nullptr);
  CHECK(MapAt(driver.state, {layer, 3}) != nullptr);
}

TEST_CASE("a map that cannot be made is said once and not asked for again", "[state][maps]") {
  StateDriver driver;
  driver.ShowSomething(6, true);
  driver.Do(HoverHead{{0, 1}});
  driver.Event(driver.state.maps.request, Failed{{ErrorCode::kOutOfMemory, "no memory"}});
  driver.effects.clear();
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<MapRequest>() == 0);
  CHECK(NoticeAt(driver.state, ErrorPlace::kMap) != nullptr);
}

TEST_CASE("ranges look at the head, its layer, or all heads", "[state][scale]") {
  StateDriver driver;
  driver.ShowSomething();
  // Two rows a head: what the first, which sees one key, has does not count.
  const std::vector<std::vector<float>> largest = {
      {0.1F, 0.2F, 0.3F, 0.4F}, {0.5F, 0.1F, 0.1F, 0.1F}, {0.9F, 0, 0, 0}};
  for (std::size_t layer = 0; layer < 3; ++layer) {
    LayerAttention::Content content = EvenLayer(static_cast<std::int64_t>(layer), 4, 2)->content();
    content.row_inverse_sum.clear();
    for (const float of_head : largest[layer]) {
      content.row_inverse_sum.insert(content.row_inverse_sum.end(), {1.0F, of_head});
    }
    driver.state.shown.layers[layer] = std::make_shared<const LayerAttention>(std::move(content));
  }
  const auto high = [&driver](RangeMode mode) {
    driver.Do(SetRange{mode});
    return ScaleFor(driver.state, {0, 1}).high;
  };
  CHECK(high(RangeMode::kFixed) == 1.0F);
  CHECK(high(RangeMode::kHead) == 0.2F);
  CHECK(high(RangeMode::kLayer) == 0.4F);
  CHECK(high(RangeMode::kGlobal) == 0.9F);
  CHECK(ScaleFor(driver.state, {0, 1}).range == RangeMode::kGlobal);
}

TEST_CASE("a token that stands twice shows its index", "[state]") {
  const auto words = Words({"the", "cat", "the"});
  CHECK(TokenLabel(*words, 0) == "the (0)");
  CHECK(TokenLabel(*words, 1) == "cat");
  CHECK(TokenLabel(*words, 2) == "the (2)");
}

TEST_CASE("text grows and shrinks by steps, between bounds, and comes back", "[state]") {
  StateDriver driver;
  driver.Do(ZoomText{1});
  CHECK(driver.state.zoom == 1.1);
  driver.Do(ZoomText{-2});
  CHECK(driver.state.zoom == 0.9);
  driver.Do(ZoomText{100});
  CHECK(driver.state.zoom == 2.5);
  driver.Do(ZoomText{-100});
  CHECK(driver.state.zoom == 0.75);
  driver.Do(SetZoom{1.3});  // of a file: between two steps
  driver.Do(ZoomText{-1});
  CHECK(driver.state.zoom == 1.25);
  driver.Do(SetZoom{1.0});
  CHECK(driver.state.zoom == 1.0);
}

}  // namespace
}  // namespace headscope::test
