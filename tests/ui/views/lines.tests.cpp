// Inspect's lines between two columns of tokens.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/figure/head_color.h"
#include "tests/support/catch.h"
#include "tests/support/one_weight.h"
#include "tests/ui/shown_layer.h"

namespace headscope::test {
namespace {

const Rect& FieldOf(const PanelDriver& driver) {
  return driver.region(Panel::kDetail).strokes_clip;
}

// The middle of a token in a column of `count`.
float TokenY(const PanelDriver& driver, std::int64_t token, std::int64_t count) {
  const Rect& field = FieldOf(driver);
  return field.y + field.height * (static_cast<float>(token) + 0.5F) / static_cast<float>(count);
}

TEST_CASE("a weight is a line from its query down to its key", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 1, 4));
  CHECK(StrokesOf(driver).empty());
  LookAt(&driver, HeadView::kLines);
  REQUIRE(StrokesOf(driver).size() == 1);
  const Stroke line = StrokesOf(driver).front();
  const Rect& field = FieldOf(driver);
  CHECK(line.x0 == field.x);
  CHECK(line.x1 == field.x + field.width);
  CHECK(std::abs(line.y0 - TokenY(driver, 1, 6)) < 0.01F);
  CHECK(std::abs(line.y1 - TokenY(driver, 4, 6)) < 0.01F);
  CHECK(line.alpha == 1.0F);
  CHECK(line.color == ColorsOf(Theme::kDark).accent);
  CHECK(
      TellsWords(&driver, "Largest weights up to 90 % of what each row gives its tokens: 1 line"));
  CHECK(driver.region(Panel::kDetail).maps.empty());
}

TEST_CASE("the columns say which token looks and which is looked at", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, TellingLayer(3, 6, 6, {}, 128));
  LookAt(&driver, HeadView::kLines);
  const std::size_t all = StrokesOf(driver).size();
  CHECK(all > 12);
  const Rect field = FieldOf(driver);
  SECTION("at the left: what it looks at") {
    driver.MoveTo(field.x - 12.0F, TokenY(driver, 2, 6));
    CHECK(driver.state().selection.point == MapPoint{2});
    CHECK(driver.state().selection.row == 2);
    REQUIRE_FALSE(StrokesOf(driver).empty());
    for (const Stroke& line : StrokesOf(driver)) {
      CHECK(std::abs(line.y0 - TokenY(driver, 2, 6)) < 0.01F);
    }
    CHECK(TellsWords(&driver, "up to 90 % of what this row gives its tokens"));
  }
  SECTION("at the right: who looks at it") {
    driver.MoveTo(field.x + field.width + 12.0F, TokenY(driver, 4, 6));
    REQUIRE(driver.state().selection.point);
    CHECK(driver.state().selection.point->key == 4);
    std::set<float> from;
    for (const Stroke& line : StrokesOf(driver)) {
      CHECK(std::abs(line.y1 - TokenY(driver, 4, 6)) < 0.01F);
      from.insert(line.y0);
    }
    CHECK(from.size() > 2);
    CHECK(TellsWords(&driver, "up to 90 % of what this token gets"));
  }
  SECTION("a click holds it, Esc lets it go") {
    driver.Click(field.x - 12.0F, TokenY(driver, 3, 6));
    CHECK(driver.state().selection.point_locked);
    driver.MoveTo(field.x - 12.0F, TokenY(driver, 5, 6));
    CHECK(driver.state().selection.point == MapPoint{3});
    CHECK(StrokesOf(driver).size() < all);
    driver.Press(Key::kEscape);
    CHECK_FALSE(driver.state().selection.point_locked);
  }
  SECTION("the pointer left: all lines again") {
    driver.MoveTo(field.x - 12.0F, TokenY(driver, 2, 6));
    driver.MoveTo(300.0F, 20.0F);
    driver.Frames(2);
    CHECK_FALSE(driver.state().selection.point);
    CHECK(StrokesOf(driver).size() == all);
  }
}

TEST_CASE("a line under the pointer is its cell, with its number", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 1, 4));
  LookAt(&driver, HeadView::kLines);
  const Rect field = FieldOf(driver);
  const float middle = (TokenY(driver, 1, 6) + TokenY(driver, 4, 6)) / 2.0F;
  driver.MoveTo(field.x + field.width / 2.0F, middle + 1.0F);
  CHECK(driver.state().selection.point == MapPoint{1, 4});
  CHECK(driver.Says("query 1 “w1” → key 4 “w4”"));
  driver.Click(field.x + field.width / 2.0F, middle + 1.0F);
  CHECK(driver.state().selection.point_locked);
  driver.Press(Key::kEscape);
  driver.MoveTo(field.x + field.width / 2.0F, middle + 60.0F);
  driver.Frames(2);
  CHECK_FALSE(driver.state().selection.point);
}

TEST_CASE("the mass and the count of a row choose what is drawn, and both are said",
          "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, TellingLayer(1, 20, 20, {}, 128));
  LookAt(&driver, HeadView::kLines);
  const std::size_t usual = StrokesOf(driver).size();
  HeadLook look = driver.state().head_look;
  look.keep.mass = 0.5;
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  CHECK(StrokesOf(driver).size() < usual);
  CHECK(TellsWords(&driver, "up to 50 %"));
  CHECK(TellsWords(&driver, "is not drawn"));
  look.keep.per_row = 1;
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  CHECK(StrokesOf(driver).size() == 20);
  CHECK(TellsWords(&driver, "1 of a row at most"));
}

TEST_CASE("several heads have colours of their own, and a click hides one", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, TellingLayer(3, 6, 6, {}, 128));
  LookAt(&driver, HeadView::kLines);
  HeadLook look = driver.state().head_look;
  look.heads = LineHeads::kSeveral;
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  const auto colours = [&] {
    std::set<std::int64_t> heads;
    for (const Stroke& line : StrokesOf(driver)) {
      for (std::int64_t head = 0; head < 3; ++head) {
        if (line.color == ColorOfHead(head, 3, Theme::kDark)) {
          heads.insert(head);
        }
      }
    }
    return heads;
  };
  CHECK(colours() == std::set<std::int64_t>{0, 1, 2});
  look.hidden = {1};
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  CHECK(colours() == std::set<std::int64_t>{0, 2});
  look.hidden = {0, 1, 2};
  driver.app.Do(SetHeadLook{look});
  Settle(&driver);
  CHECK(StrokesOf(driver).empty());
  CHECK(TellsWords(&driver, "Every head of this layer is hidden."));
}

TEST_CASE("lines share the map's zoom, and are the same list while nothing changes",
          "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(40, 40, 20, 22));
  LookAt(&driver, HeadView::kLines);
  const auto before = driver.region(Panel::kDetail).strokes;
  driver.Frames(3);
  CHECK(driver.region(Panel::kDetail).strokes == before);  // drawn once
  const Rect field = FieldOf(driver);
  driver.Wheel(field.x - 12.0F, field.y + field.height / 2.0F, 3.0F);
  CHECK(driver.state().selection.zoom.zoom > 1.5);
  driver.MoveTo(300.0F, 20.0F);
  driver.Frames(2);
  REQUIRE(StrokesOf(driver).size() == 1);
  const Stroke line = StrokesOf(driver).front();
  // Two tokens apart, now further.
  CHECK(line.y1 - line.y0 > before->front().y1 - before->front().y0 + 5.0F);
  driver.Type("0");
  driver.Frames(2);
  CHECK(driver.state().selection.zoom == MapZoom{});
  CHECK(StrokesOf(driver) == *before);
}

TEST_CASE("what a sink takes is said beside the lines", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, MakeEven({.id = {}, .heads = 1, .queries = 6, .keys = 6, .sink = true}));
  LookAt(&driver, HeadView::kLines);
  CHECK(TellsWords(&driver, "goes to the sink, which is no token"));
}

TEST_CASE("the choice of the view goes by click and by key", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 1, 4));
  driver.Type("o");
  CHECK(driver.state().head_look.view == HeadView::kLines);
  driver.Type("O");
  CHECK(driver.state().head_look.view == HeadView::kMap);
  driver.Type("O");
  CHECK(driver.state().head_look.view == HeadView::kPair);
}

TEST_CASE("thumbnails are lines, too, each in its own place", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 1, 4));
  const Rect cell = driver.region(Panel::kMiddle).maps.front().target;
  HeadLook look = driver.state().head_look;
  look.lines_in_grid = true;
  driver.app.Do(SetHeadLook{look});
  driver.Frames(3);
  CHECK(driver.region(Panel::kMiddle).maps.empty());
  const auto strokes = driver.region(Panel::kMiddle).strokes;
  REQUIRE(strokes != nullptr);
  REQUIRE(strokes->size() == 1);
  const Stroke& line = strokes->front();
  CHECK(line.x0 < line.x1);
  CHECK(line.x0 >= cell.x);
  CHECK(line.x1 <= cell.x + cell.width);
  CHECK(std::abs(line.y0 - (cell.y + cell.height * 1.5F / 6.0F)) < 3.0F);
  CHECK(std::abs(line.y1 - (cell.y + cell.height * 4.5F / 6.0F)) < 3.0F);
  driver.Frames(2);
  CHECK(driver.region(Panel::kMiddle).strokes == strokes);
  // Pointing at a thumbnail is what it was.
  driver.MoveTo(cell.x + cell.width / 2.0F, cell.y + cell.height / 2.0F);
  CHECK(driver.state().selection.head == HeadIndex{0, 0});
}

TEST_CASE("a thumbnail has its largest lines only", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, TellingLayer(2, 60, 60, {}, 128));
  HeadLook look = driver.state().head_look;
  look.lines_in_grid = true;
  driver.app.Do(SetHeadLook{look});
  driver.Frames(3);
  const auto strokes = driver.region(Panel::kMiddle).strokes;
  REQUIRE(strokes != nullptr);
  CHECK(strokes->size() == 2 * 96);
}

TEST_CASE("nothing is asked for lines that are not seen", "[ui][lines]") {
  PanelDriver driver;
  ShowLayer(&driver, OneWeight(6, 6, 1, 4));
  CHECK(driver.app.CountRequests<KeepJob>() == 0);
  LookAt(&driver, HeadView::kLines);
  CHECK(driver.app.CountRequests<KeepJob>() == 1);
  CHECK(driver.state().kept.answer != nullptr);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  CHECK(driver.state().kept.answer == nullptr);
}

}  // namespace
}  // namespace headscope::test
