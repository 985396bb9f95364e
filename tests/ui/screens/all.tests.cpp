#include <set>
#include <string>
#include <string_view>

#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("no two screens share an id, a key or a place", "[ui][screens]") {
  std::set<std::string_view> ids;
  std::set<char> keys;
  int place = 0;
  for (const Screen* screen : AllScreens()) {
    const ScreenKind& kind = screen->kind;
    INFO(kind.id);
    CHECK(ids.insert(kind.id).second);
    CHECK(&ScreenNamed(kind.id) == screen);
    for (const char key : kind.keys) {
      CHECK(keys.insert(key).second);
    }
    CHECK(kind.place > place);
    place = kind.place;
    CHECK_FALSE(kind.name.empty());
    CHECK_FALSE(kind.about.empty());
    CHECK(screen->icon != nullptr);
    CHECK(screen->body != nullptr);
    CHECK(screen->detail != nullptr);
    CHECK_FALSE(kind.keys.empty());
  }
  CHECK(&ScreenNamed("no such screen") == AllScreens().front());
}

TEST_CASE("each screen opens by each of its keys and from the rail", "[ui][screens]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  float y = 56.0F + 8.0F + 20.0F;
  for (const Screen* screen : AllScreens()) {
    INFO(screen->kind.id);
    const Screen& other = ScreenNamed(screen->kind.id == "inspect" ? "counts" : "inspect");
    for (const char key : screen->kind.keys) {
      driver.app.Do(SetScreen{&other.kind});
      driver.Type(std::string(1, key));
      CHECK(&CurrentScreen(driver.state()) == screen);
    }
    driver.app.Do(SetScreen{&other.kind});
    driver.Frames(2);
    driver.Click(32.0F, y);
    CHECK(&CurrentScreen(driver.state()) == screen);
    y += 56.0F;
  }
}

TEST_CASE("the help lists the screens that there are", "[ui][screens]") {
  PanelDriver driver(1600.0F, 4000.0F);
  driver.app.Do(SetScreen{&ScreenNamed("help").kind});
  driver.Frames(3);
  for (const Screen* screen : AllScreens()) {
    // Paragraphs are drawn word by word.
    CHECK(driver.Says(std::string(screen->kind.name) + ":"));
    if (screen->words != nullptr) {
      CHECK(driver.Says(std::string(screen->words().title)));
    }
  }
  CHECK(KeysOf(ScreenNamed("help").kind) == "6 or ?");
  CHECK(NameAndKeys("counts") == "Counts (2)");
}

}  // namespace
}  // namespace headscope::test
