// Back and forward among views, presenting, and the desktop's theme.
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("one goes back through what was shown, and forward again", "[state][views]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetCurve{Curve::kLog});
  driver.Do(ShowHead{{1, 2}});
  driver.Do(SetScreen{&kScoresScreen});
  const ScreenKind* const before = driver.state.screen;
  driver.Do(StepView{true});
  CHECK(driver.state.screen != before);
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
  driver.Do(StepView{true});
  CHECK_FALSE(driver.state.selection.head_locked);
  CHECK(driver.state.settings.curve == Curve::kLog);
  driver.Do(StepView{true});
  CHECK(driver.state.settings.curve == Curve::kSqrt);
  driver.Do(StepView{true});  // there is nothing before
  CHECK(driver.state.settings.curve == Curve::kSqrt);
  for (int i = 0; i < 3; ++i) {
    driver.Do(StepView{false});
  }
  CHECK(driver.state.screen == before);
  CHECK(driver.state.selection.head == HeadIndex{1, 2});
  CHECK(driver.state.selection.head_locked);
}

TEST_CASE("what is done after going back takes the place of what came after", "[state][views]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetCurve{Curve::kLog});
  driver.Do(StepView{true});
  driver.Do(SetRange{RangeMode::kRow});
  driver.Do(StepView{false});
  CHECK(driver.state.settings.curve == Curve::kSqrt);
  CHECK(driver.state.settings.range == RangeMode::kRow);
}

TEST_CASE("pointing is no view, and a line that is dragged is one step", "[state][views]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(HoverHead{{2, 1}});
  CHECK(driver.state.view_history.past.empty());
  for (const double mass : {0.8, 0.7, 0.6}) {
    HeadLook look = driver.state.head_look;
    look.keep.mass = mass;
    driver.Do(SetHeadLook{look});
  }
  CHECK(driver.state.view_history.past.size() == 1);
  driver.Do(StepView{true});
  CHECK(driver.state.head_look.keep.mass == 0.9);
}

TEST_CASE("no more places are kept than there is use for", "[state][views]") {
  StateDriver driver;
  driver.ShowSomething();
  for (std::size_t i = 0; i < kMostPlaces + 50; ++i) {
    driver.Do(SetCurve{i % 2 == 0 ? Curve::kLog : Curve::kLinear});
  }
  CHECK(driver.state.view_history.past.size() == kMostPlaces);
}

TEST_CASE("presenting is light and gives the theme back", "[state][views]") {
  StateDriver driver;
  driver.Do(ChooseTheme{Theme::kDark});
  driver.Do(Present{true});
  driver.Do(Present{true});
  CHECK(driver.state.theme == Theme::kLight);
  driver.Do(Present{false});
  CHECK(driver.state.theme == Theme::kDark);
  CHECK_FALSE(driver.state.presenting);
}

TEST_CASE("the window follows the desktop until a person chooses", "[state][views]") {
  StateDriver driver;
  driver.Do(DesktopThemeIs{Theme::kLight});
  CHECK(driver.state.theme == Theme::kLight);
  driver.Do(DesktopThemeIs{std::nullopt});
  CHECK(driver.state.theme == Theme::kLight);
  driver.Do(ChooseTheme{Theme::kDark});
  driver.Do(DesktopThemeIs{Theme::kLight});
  CHECK(driver.state.theme == Theme::kDark);
  driver.Do(ChooseTheme{});
  CHECK(driver.state.theme == Theme::kLight);
}

}  // namespace
}  // namespace headscope::test
