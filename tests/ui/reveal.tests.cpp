// Where a window is narrow the sheet covers maps: the chosen head stays in sight.
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/drawn_parts.h"
#include "tests/ui/panel_driver.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {
namespace {

// What the sheet leaves of the maps.
Rect Left(const PanelDriver& driver) {
  return Intersection(driver.region(Panel::kMiddle).rect, driver.layout().middle_visible);
}

TEST_CASE("a thumbnail that is clicked stays in sight beside the sheet", "[ui][inspect]") {
  PanelDriver driver(1000.0F, 700.0F);
  driver.app.Open("wide", 12, 12);
  driver.app.Answer(6);
  driver.Frames(3);
  constexpr std::size_t kHeads = 12;
  for (const bool is_low : {false, true}) {
    driver.app.Do(Escape);
    driver.app.Do(ShowSheet{false});
    driver.Frames(4);
    const auto& maps = driver.region(Panel::kMiddle).maps;
    // The last head of a layer that is seen in whole.
    const Rect thumb = maps[is_low ? maps.size() - kHeads - 1 : kHeads - 1].target;
    REQUIRE(thumb.x > 440.0F);  // where the sheet comes
    driver.Click(thumb.x + 5.0F, thumb.y + 5.0F);
    driver.Frames(4);
    REQUIRE(driver.state().selection.head_locked);
    REQUIRE(driver.layout().detail.width == 560.0F);
    const auto frame = DrawnIn(driver.drawn(),
                               "grid",
                               driver.scene().theme == Theme::kDark ? ColorsOf(Theme::kDark).text
                                                                    : ColorsOf(Theme::kLight).text);
    REQUIRE(frame.has_value());
    CHECK(IsInside(*frame, Left(driver)));
  }
}

TEST_CASE("a person may scroll away from the chosen head", "[ui][inspect]") {
  PanelDriver driver(1000.0F, 700.0F);
  driver.app.Open("wide", 24, 12);
  driver.app.Answer(6);
  driver.Frames(3);
  driver.app.Do(ShowHead{{0, 0}});
  driver.Frames(4);
  const float before = driver.region(Panel::kMiddle).maps.front().target.y;
  driver.Wheel(300.0F, 400.0F, -30.0F);
  driver.Frames(6);
  const auto text = DrawnIn(driver.drawn(), "grid", ColorsOf(Theme::kDark).text);
  CHECK((!text || text->y + text->height < before + 10.0F));
}

TEST_CASE("the chosen head of the map of scores stays in sight", "[ui][heads]") {
  PanelDriver driver(1000.0F, 700.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("heads").kind});
  driver.app.Event(driver.state().scan.request, HeadsScanned{StubScan()});
  driver.app.Event(driver.state().scan.request, Finished{});
  driver.Frames(3);
  driver.app.Do(ClickHead{{2, 3}});
  driver.Frames(4);
  const auto frame = DrawnIn(driver.drawn(), "heads map", ColorsOf(Theme::kDark).accent);
  REQUIRE(frame.has_value());
  CHECK(IsInside(*frame, Left(driver)));
}

}  // namespace
}  // namespace headscope::test
