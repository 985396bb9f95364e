// Inspect's shaded text.
#include <algorithm>
#include <cmath>

#include "app/state/inspect/head_views.h"
#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/ui/shown_layer.h"

namespace headscope::test {
namespace {

// The middle of a word of the text that is shaded. Words of the same length stand evenly.
std::pair<float, float> WordPlace(PanelDriver* driver, std::int64_t word) {
  const Rect& chip = driver->memory().shaded_chips.rects[static_cast<std::size_t>(word)];
  const auto [left, top] = driver->memory().shaded_at;
  return {left + chip.x + chip.width / 2.0F, top + chip.y + chip.height / 2.0F};
}

const std::vector<float>& ShadesNow(PanelDriver* driver) {
  return driver->memory().shaded.shades.values;
}

TEST_CASE("the selected word shades what it looks at, or who looks at it", "[ui][text_view]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 4, 1));
  driver.app.Do(PointCell{MapPoint{4}});
  LookAt(&driver, HeadView::kText);
  CHECK(TellsWords(&driver, "L0H0. What “w4” looks at"));
  CHECK(ShadesNow(&driver) == std::vector<float>{0, 1, 0, 0, 0, 0});
  const auto [x, y] = WordPlace(&driver, 2);
  driver.MoveTo(x, y);
  CHECK(driver.state().selection.point == MapPoint{2});
  CHECK(TellsWords(&driver, "What “w2” looks at"));
  CHECK(ShadesNow(&driver) == std::vector<float>(6, 0.0F));
  HeadLook look = driver.state().head_look;
  look.by_key = true;
  driver.app.Do(SetHeadLook{look});
  const auto [key_x, key_y] = WordPlace(&driver, 1);
  driver.MoveTo(key_x, key_y);
  REQUIRE(driver.state().selection.point);
  CHECK(driver.state().selection.point->key == 1);
  driver.Frames(2);
  CHECK(TellsWords(&driver, "Who looks at “w1”"));
  CHECK(ShadesNow(&driver) == std::vector<float>{0, 0, 0, 0, 1, 0});
}

TEST_CASE("a click holds a word; Shift and clicks add others, and their sum shades",
          "[ui][text_view]") {
  PanelDriver driver;
  const auto layer = TellingLayer(2, 6, 6, {}, 128);
  ShowLayer(&driver, layer);
  LookAt(&driver, HeadView::kText);
  const auto [x, y] = WordPlace(&driver, 3);
  driver.Click(x, y);
  CHECK(driver.state().selection.point_locked);
  CHECK(driver.state().selection.point == MapPoint{3});
  const auto [other_x, other_y] = WordPlace(&driver, 5);
  SetShift(true);
  driver.Click(other_x, other_y);
  SetShift(false);
  driver.Frames(2);
  CHECK(driver.state().head_look.words.tokens == std::vector<std::int64_t>{3, 5});
  CHECK(TellsWords(&driver, "What “w3” and “w5” look at (sum)"));
  std::vector<float> three(6);
  std::vector<float> five(6);
  layer->Row(0, 3, three);
  layer->Row(0, 5, five);
  for (std::size_t key = 0; key < 6; ++key) {
    CHECK(ShadesNow(&driver)[key] == Approx(three[key] + five[key]));
  }
  SetShift(true);
  driver.Click(x, y);  // takes one away
  SetShift(false);
  CHECK(driver.state().head_look.words.tokens == std::vector<std::int64_t>{5});
  driver.Click(other_x, other_y);  // one word again
  CHECK(driver.state().head_look.words.tokens.empty());
}

TEST_CASE("several heads shade by their mean", "[ui][text_view]") {
  PanelDriver driver;
  const auto layer = TellingLayer(3, 6, 6, {}, 128);
  ShowLayer(&driver, layer);
  LookAt(&driver, HeadView::kText);
  HeadLook look = driver.state().head_look;
  look.heads = LineHeads::kSeveral;
  driver.app.Do(SetHeadLook{look});
  driver.Frames(3);
  CHECK(TellsWords(&driver, "Layer 0, mean of all 3 heads."));
  look.hidden = {1};
  driver.app.Do(SetHeadLook{look});
  driver.Frames(3);
  CHECK(TellsWords(&driver, "Layer 0, mean of 2 heads."));
  const auto row = static_cast<std::int64_t>(driver.state().selection.row.value_or(0));
  std::vector<float> first(6);
  std::vector<float> last(6);
  layer->Row(0, row, first);
  layer->Row(2, row, last);
  for (std::size_t key = 0; key < 6; ++key) {
    CHECK(ShadesNow(&driver)[key] == Approx((first[key] + last[key]) / 2.0F));
  }
}

TEST_CASE("a token is found, and Enter goes from one to the next", "[ui][text_view]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(12, 12, 4, 1));
  LookAt(&driver, HeadView::kText);
  REQUIRE(driver.memory().fields.Focus("find token"));
  driver.Type("W1");
  CHECK(driver.Says("3 found"));  // w1, w10, w11
  driver.Press(Key::kEnter);
  const std::int64_t first = driver.state().selection.point->query;
  CHECK((first == 1 || first == 10 || first == 11));
  driver.Press(Key::kEnter);
  const std::int64_t second = driver.state().selection.point->query;
  CHECK(second == (first == 1 ? 10 : first == 10 ? 11 : 1));
  driver.Type("x");
  CHECK(driver.Says("none"));
}

TEST_CASE("a shading is kept above the next, and dropped", "[ui][text_view]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 4, 1));
  driver.app.Do(PointCell{MapPoint{4}});
  LookAt(&driver, HeadView::kText);
  driver.memory().kept_shades = driver.memory().shaded;
  driver.app.Do(PointCell{MapPoint{2}});
  driver.Frames(3);
  CHECK(TellsWords(&driver, "What “w4” looks at"));
  CHECK(TellsWords(&driver, "What “w2” looks at"));
  driver.memory().shows_shade_difference = true;
  driver.Frames(3);
  CHECK(TellsWords(&driver, "What “w2” looks at, minus what was kept"));
  CHECK(driver.Says("white at 0"));
  // Another text has other words.
  ShowLayer(&driver, OneWeight(5, 5, 4, 1));
  driver.Frames(3);
  CHECK_FALSE(driver.memory().kept_shades);
}

TEST_CASE("what a sink takes of a word's row is said", "[ui][text_view]") {
  PanelDriver driver;
  ShowLayer(&driver, MakeEven({.id = {}, .heads = 1, .queries = 6, .keys = 6, .sink = true}));
  driver.app.Do(PointCell{MapPoint{1}});
  LookAt(&driver, HeadView::kText);
  CHECK(TellsWords(&driver, "sums to 0.6667, the sink takes 0.3333"));
}

TEST_CASE("cross-attention asks in one text and shades the other", "[ui][text_view]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(ShowPart{ModelPart::kCross});
  LookAt(&driver, HeadView::kText);
  CHECK(ShadesNow(&driver).size() == 6);
  CHECK(driver.Says("t0"));
  CHECK(driver.Says("w5"));
  HeadLook look = driver.state().head_look;
  look.by_key = true;
  driver.app.Do(SetHeadLook{look});
  driver.Frames(3);
  CHECK(ShadesNow(&driver).size() == 4);
}

}  // namespace
}  // namespace headscope::test
