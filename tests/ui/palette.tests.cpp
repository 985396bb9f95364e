// The command palette finds what can be done, and does it; presenting; back and forward by keys.
#include "app/views/help/commands.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

constexpr KeyPress kPaletteKeys{.key = Key::kLetter, .letter = 'P', .ctrl = true, .shift = true};

std::unique_ptr<PanelDriver> ShownForCommands() {
  auto driver = std::make_unique<PanelDriver>();
  driver->app.ShowSomething(6);
  driver->Frames(3);
  return driver;
}

void OpenPalette(PanelDriver* driver) {
  driver->Queue(kPaletteKeys);
  driver->Frames(6);
  REQUIRE(driver->state().dialogs.popup == Popup::kPalette);
}

TEST_CASE("what is typed finds commands, and Enter does the one that is pointed at",
          "[ui][palette]") {
  const auto driver = ShownForCommands();
  OpenPalette(driver.get());
  driver->Type("range rOW");
  driver->Frames(3);
  CHECK(driver->Says("Range of colours: per row"));
  CHECK_FALSE(driver->Says("Range of colours: per head"));
  driver->Press(Key::kEnter);
  driver->Frames(3);
  CHECK(driver->state().settings.range == RangeMode::kRow);
  CHECK(driver->state().dialogs.popup == Popup::kNone);
}

TEST_CASE("arrows choose among commands and walk no heads", "[ui][palette]") {
  const auto driver = ShownForCommands();
  OpenPalette(driver.get());
  driver->Type("colour map");
  driver->Frames(3);
  driver->Press(Key::kDown);
  driver->Press(Key::kDown);
  driver->Press(Key::kUp);
  driver->Press(Key::kEnter);
  driver->Frames(3);
  CHECK(driver->state().settings.colormap == Colormap::kCividis);
  CHECK(driver->state().selection.head == HeadIndex{0, 0});
}

TEST_CASE("a command may open another dialog, whose field takes the keys", "[ui][palette]") {
  const auto driver = ShownForCommands();
  OpenPalette(driver.get());
  driver->Type("go to a head");
  driver->Frames(3);
  driver->Press(Key::kEnter);
  driver->Frames(8);
  CHECK(driver->state().dialogs.popup == Popup::kJump);
  driver->Type("1.2");
  driver->Frames(3);
  CHECK(driver->state().dialogs.jump_text == "1.2");
}

TEST_CASE("what finds nothing says so, and what cannot be done says why", "[ui][palette]") {
  const auto driver = ShownForCommands();
  OpenPalette(driver.get());
  driver->Type("bicycle");
  driver->Frames(3);
  CHECK(driver->Says("Nothing"));
  driver->Press(Key::kEnter);
  driver->Frames(2);
  CHECK(driver->state().dialogs.popup == Popup::kPalette);
  driver->Press(Key::kEscape);
  driver->Frames(2);
  OpenPalette(driver.get());
  driver->Type("forward");
  driver->Frames(3);
  CHECK(driver->Says("there is none"));
  driver->Press(Key::kEnter);
  driver->Frames(2);
  CHECK(driver->state().dialogs.popup == Popup::kPalette);
}

TEST_CASE("kept figures can be exported where nothing is open", "[ui][palette]") {
  AppState state;
  const auto why_not = [&] {
    const auto found = FindCommands(CommandsOf(state), "export a picture");
    REQUIRE_FALSE(found.empty());
    return found.front().why_not;
  };
  CHECK_FALSE(why_not().empty());
  state.screen = &ScreenNamed("figures").kind;
  CHECK_FALSE(why_not().empty());
  state.figures.kept.emplace_back();
  CHECK(why_not().empty());
}

TEST_CASE("every command has its own name, and screens, models and samples are among them",
          "[ui][palette]") {
  const auto driver = ShownForCommands();
  std::vector<std::string> names;
  for (const Command& command : CommandsOf(driver->state())) {
    CHECK(std::ranges::find(names, command.name) == names.end());
    CHECK((command.popup != Popup::kNone || !command.actions.empty()));
    names.push_back(command.name);
  }
  for (const Screen* screen : AllScreens()) {
    const std::string name = "Go to " + std::string(screen->kind.name);
    CHECK(std::ranges::find(names, name) != names.end());
  }
}

TEST_CASE("presenting leaves maps and text; F5 or Esc ends it", "[ui][palette]") {
  const auto driver = ShownForCommands();
  CHECK(driver->Says("Counts"));
  driver->Press(Key::kF5);
  driver->Frames(3);
  CHECK_FALSE(driver->Says("Counts"));
  CHECK(driver->Says("F5 ends presenting"));
  CHECK(driver->state().theme == Theme::kLight);
  driver->Press(Key::kEscape);
  driver->Frames(3);
  CHECK(driver->Says("Counts"));
  CHECK_FALSE(driver->state().presenting);
}

TEST_CASE("Alt and arrows go back and forward, and walk no heads", "[ui][palette]") {
  const auto driver = ShownForCommands();
  driver->Type("r");
  driver->Frames(2);
  CHECK(driver->state().settings.range == RangeMode::kRow);
  driver->Queue({.key = Key::kLeft, .alt = true});
  driver->Frames(3);
  CHECK(driver->state().settings.range == RangeMode::kFixed);
  driver->Queue({.key = Key::kRight, .alt = true});
  driver->Frames(3);
  CHECK(driver->state().settings.range == RangeMode::kRow);
  CHECK(driver->state().selection.head == HeadIndex{0, 0});
}

}  // namespace
}  // namespace headscope::test
