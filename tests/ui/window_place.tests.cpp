#include "app/platform/window_place.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "app/views/kit/layout.h"
#include "tests/support/catch.h"

namespace headscope::test {
namespace {

constexpr WindowFrame kFrame{.left = 1, .top = 30, .right = 1, .bottom = 2};

bool IsWithin(const WindowPlacement& at, const WindowFrame& frame, const ScreenArea& screen) {
  return !at.x || (*at.x - frame.left >= screen.x && *at.y - frame.top >= screen.y &&
                   *at.x + at.width + frame.right <= screen.x + screen.width &&
                   *at.y + at.height + frame.bottom <= screen.y + screen.height);
}

TEST_CASE("a window is no larger than its screen with the frame", "[ui][platform]") {
  struct Case {
    int width;
    int height;
    double scale;
  };
  for (const Case& each : {Case{1920, 1080, 1.25},
                           Case{1280, 720, 1.0},
                           Case{1024, 600, 2.0},
                           Case{3840, 2160, 2.0}}) {
    const std::array screens = {
        ScreenArea{.x = 0, .y = 27, .width = each.width, .height = each.height - 27}};
    const WindowPlacement wish{.width = static_cast<int>(1600 * each.scale),
                               .height = static_cast<int>(1000 * each.scale)};
    const WindowPlacement at = FitOnScreen(wish, kFrame, screens);
    CHECK(at.width == std::min(wish.width, each.width - 2));
    CHECK(at.height == std::min(wish.height, each.height - 27 - 32));
    CHECK_FALSE(at.x.has_value());  // where the desktop puts it
  }
}

TEST_CASE("a remembered window comes back whole, on the screen that shows most of it",
          "[ui][platform]") {
  const std::vector<ScreenArea> screens = {{.x = 0, .y = 0, .width = 1920, .height = 1080},
                                           {.x = 1920, .y = 0, .width = 1280, .height = 720}};
  const auto fitted = [&](int x, int y, int width, int height) {
    return FitOnScreen({.width = width, .height = height, .x = x, .y = y}, kFrame, screens);
  };
  const WindowPlacement kept = fitted(30, 40, 1300, 800);
  CHECK(kept == WindowPlacement{.width = 1300, .height = 800, .x = 30, .y = 40});
  for (const int x : {-700, -200, 0, 900, 1500, 1930, 2500, 3000}) {
    for (const int y : {-500, -20, 0, 300, 600, 900}) {
      const WindowPlacement at = fitted(x, y, 1300, 800);
      const WindowPlacement wish{.width = 1300, .height = 800, .x = x, .y = y};
      INFO(x << " " << y);
      CHECK(IsWithin(at, kFrame, ScreenOf(wish, screens)));
    }
  }
  CHECK(fitted(2000, 40, 1600, 1000).width == 1278);  // the smaller screen's
  CHECK(fitted(1000, 40, 1600, 1000).width == 1600);
}

TEST_CASE("a place on no screen is the desktop's to choose", "[ui][platform]") {
  const std::array screens = {ScreenArea{.width = 1280, .height = 720}};
  for (const auto& [x, y] : {std::pair{5000, 40}, {-1250, 40}, {40, 700}, {40, -900}}) {
    const WindowPlacement at =
        FitOnScreen({.width = 1300, .height = 800, .x = x, .y = y}, {}, screens);
    CHECK_FALSE(at.x.has_value());
    CHECK_FALSE(at.y.has_value());
    CHECK(at.width == 1280);
    CHECK(at.height == 720);
  }
}

TEST_CASE("the least window holds the sheet, and grows with the scale", "[ui][layout]") {
  const Rect least = LeastWindow(1.0F);
  const WindowLayout layout = LayOut(
      {.width = least.width, .height = least.height, .sheet_open = true, .has_target = true});
  CHECK(layout.detail.width == 560.0F);
  CHECK(layout.rail.height >= 344.0F);
  CHECK(LeastWindow(2.0F).width == 2.0F * least.width);
  CHECK(LeastWindow(2.0F).height == 2.0F * least.height);
}

}  // namespace
}  // namespace headscope::test
