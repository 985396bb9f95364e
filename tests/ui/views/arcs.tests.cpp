// Inspect's arcs over one line of text.
#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/ui/shown_layer.h"

namespace headscope::test {
namespace {

const Rect& ArcsOf(const PanelDriver& driver) {
  return driver.region(Panel::kDetail).strokes_clip;
}

TEST_CASE("an arc leads from a word back to the one it looks at", "[ui][arcs]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 4, 1));
  LookAt(&driver, HeadView::kArcs);
  REQUIRE(StrokesOf(driver).size() == 1);
  const Stroke arc = StrokesOf(driver).front();
  const Rect& view = ArcsOf(driver);
  CHECK(arc.x0 > arc.x1);  // the query stands to the right of the key
  CHECK(arc.rise > 0.0F);
  CHECK(arc.y0 - arc.rise >= view.y);
  CHECK(arc.y0 < view.y + view.height);
  CHECK(driver.Says("w4"));
  // Words are as wide as they are written, 8 pixels apart, all the same here.
  const float pitch = (arc.x0 - arc.x1) / 3.0F;
  CHECK(std::abs(arc.x1 - (view.x + view.width / 2.0F - 1.5F * pitch)) < 1.0F);
  // The same weight the other way round hangs below the line.
  ShowLayer(&driver, OneWeight(6, 6, 1, 4));
  REQUIRE(StrokesOf(driver).size() == 1);
  const Stroke ahead = StrokesOf(driver).front();
  CHECK(ahead.rise < 0.0F);
  CHECK(ahead.x0 == arc.x1);
  CHECK(ahead.x1 == arc.x0);
  CHECK(ahead.y0 > arc.y0);
}

TEST_CASE("a right-to-left text begins at the right", "[ui][arcs]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 4, 1), Words({"שלום", "לכל", "מי", "שקורא", "את", "זה"}));
  LookAt(&driver, HeadView::kArcs);
  REQUIRE(StrokesOf(driver).size() == 1);
  CHECK(StrokesOf(driver).front().x0 < StrokesOf(driver).front().x1);
}

TEST_CASE("a word under the pointer shows its arcs, or those that lead to it", "[ui][arcs]") {
  PanelDriver driver;
  ShowLayer(&driver, TellingLayer(1, 6, 6, {}, 128));
  LookAt(&driver, HeadView::kArcs);
  const std::vector<Stroke> all = StrokesOf(driver);
  const Rect view = ArcsOf(driver);
  // Where word 2 stands: the query of some arc that rises and is not a loop.
  const auto found = std::ranges::find_if(
      driver.state().kept.answer->weights,
      [](const KeptWeight& weight) { return weight.query == 2 && weight.key < 2; });
  REQUIRE(found != driver.state().kept.answer->weights.end());
  const Stroke arc =
      all[static_cast<std::size_t>(found - driver.state().kept.answer->weights.begin())];
  const float word_x = arc.x0;
  const float word_y = arc.y0 + 10.0F;
  driver.MoveTo(word_x, word_y);
  CHECK(driver.state().selection.point == MapPoint{2});
  for (const Stroke& each : StrokesOf(driver)) {
    CHECK((each.x0 == word_x || std::abs((each.x0 + each.x1) / 2.0F - word_x) < 0.01F));
  }
  HeadLook look = driver.state().head_look;
  look.by_key = true;
  driver.app.Do(SetHeadLook{look});
  driver.MoveTo(word_x + 1.0F, word_y);
  driver.Frames(2);
  REQUIRE(driver.state().selection.point);
  CHECK(driver.state().selection.point->key == 2);
  CHECK(driver.state().selection.point->query == 2);
  for (const Stroke& each : StrokesOf(driver)) {
    CHECK((each.x1 == word_x || std::abs((each.x0 + each.x1) / 2.0F - word_x) < 0.01F));
  }
  CHECK(TellsWords(&driver, "of what this token gets"));
  CHECK(Contains(view, word_x, word_y));
}

TEST_CASE("a line longer than the panel moves by the wheel and follows the selection",
          "[ui][arcs]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(200, 200, 120, 118));
  LookAt(&driver, HeadView::kArcs);
  driver.app.Do(PointCell{MapPoint{120}});
  driver.Frames(4);
  REQUIRE_FALSE(StrokesOf(driver).empty());
  const Rect view = ArcsOf(driver);
  const Stroke before = StrokesOf(driver).back();
  CHECK(before.x0 > view.x);
  CHECK(before.x0 < view.x + view.width);
  driver.Wheel(view.x + view.width / 2.0F, view.y + 5.0F, -1.0F);
  driver.Frames(3);
  const float moved = driver.memory().arcs_scroll;
  driver.Drag(view.x + view.width / 2.0F, view.y + 5.0F, 50.0F, 0.0F);
  CHECK(driver.memory().arcs_scroll < moved);
  // The whole text in the panel: nothing is beyond its ends.
  HeadLook look = driver.state().head_look;
  look.whole_line = true;
  driver.app.Do(SetHeadLook{look});
  driver.Frames(4);
  REQUIRE(StrokesOf(driver).size() == 1);
  const Stroke squeezed = StrokesOf(driver).front();
  CHECK(squeezed.x0 - squeezed.x1 < before.x0 - before.x1);
  const TextLine line = PlaceWords(driver.memory().query_words.words, 8.0F, false, view.width);
  CHECK(std::abs(squeezed.x0 - (view.x + line.middles[120])) < 1.0F);
  CHECK(line.is_squeezed);
}

TEST_CASE("cross-attention is two lines of text with lines between them", "[ui][arcs]") {
  PanelDriver driver;
  driver.app.ShowEncoderDecoder();
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(ShowPart{ModelPart::kCross});
  LookAt(&driver, HeadView::kArcs);
  REQUIRE_FALSE(StrokesOf(driver).empty());
  const Rect view = ArcsOf(driver);
  for (const Stroke& line : StrokesOf(driver)) {
    CHECK(line.rise == 0.0F);
    CHECK(line.y0 < view.y + view.height / 2.0F);
    CHECK(line.y1 > view.y + view.height / 2.0F);
  }
}

}  // namespace
}  // namespace headscope::test
