// Dark or light as the desktop has it, against a session bus of the test's own.
#include "app/platform/desktop_theme.h"

#include <chrono>
#include <thread>

#include "tests/support/catch.h"
#include "tests/ui/fake_desktop.h"

namespace headscope::test {
namespace {

// What is told within five seconds.
std::optional<std::optional<Theme>> Told(DesktopTheme* theme) {
  for (int i = 0; i < 500; ++i) {
    if (const auto told = theme->Take()) {
      return told;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return std::nullopt;
}

TEST_CASE("the desktop's preference is told at the start and when it changes", "[ui][portal]") {
  FakeDesktop desktop(true, 0, "", 1);
  DesktopTheme theme([] {});
  const auto first = Told(&theme);
  REQUIRE(first);
  CHECK(*first == Theme::kDark);
  CHECK_FALSE(theme.Take());  // once
  desktop.Choose(2);
  const auto second = Told(&theme);
  REQUIRE(second);
  CHECK(*second == Theme::kLight);
  desktop.Choose(0);
  const auto third = Told(&theme);
  REQUIRE(third);
  CHECK_FALSE(third->has_value());
}

TEST_CASE("a desktop without settings, and none at all, say nothing and keep nobody waiting",
          "[ui][portal]") {
  const auto start = std::chrono::steady_clock::now();
  {
    FakeDesktop desktop(true, 0, "");
    DesktopTheme theme([] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    CHECK_FALSE(theme.Take());
  }
  setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere/at/all", 1);
  {
    DesktopTheme theme([] {});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    CHECK_FALSE(theme.Take());
  }
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

}  // namespace
}  // namespace headscope::test
