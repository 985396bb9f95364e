#include "app/window/preferences.h"

#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/state/state_driver.h"

namespace headscope {
namespace {

TEST_CASE("preferences come back as they were", "[state][preferences]") {
  const test::TempFolder folder;
  const auto file = folder / "deep/er/preferences.json";
  CHECK(*ReadPreferences(file) == Preferences{});  // not there yet
  Preferences mine;
  mine.theme = Theme::kLight;
  mine.curve = Curve::kLog;
  mine.range = RangeMode::kLayer;
  mine.colormap = Colormap::kCividis;
  mine.head_view = HeadView::kArcs;
  mine.lines_mass = 0.7;
  mine.lines_in_grid = true;
  mine.detail_width = 610.0F;
  mine.window = {.width = 1111, .height = 777, .x = -40, .y = 12, .maximized = true};
  REQUIRE(WritePreferences(file, mine));
  CHECK(*ReadPreferences(file) == mine);
  mine.window.x.reset();
  mine.window.y.reset();
  REQUIRE(WritePreferences(file, mine));
  CHECK(*ReadPreferences(file) == mine);
}

TEST_CASE("a broken or absurd file is named and not used", "[state][preferences]") {
  const test::TempFolder folder;
  const char* text = GENERATE("",
                              "{",
                              "[]",
                              "null",
                              R"({"theme":"purple"})",
                              R"({"theme":3})",
                              R"({"curve":"cubic"})",
                              R"({"colormap":"diverging"})",
                              R"({"range":[]})",
                              R"({"head_view":"cloud"})",
                              R"({"lines_mass":1.5})",
                              R"({"detail_width":1e30})",
                              R"({"width":-1,"height":10})",
                              R"({"width":1000,"height":4000000000000})",
                              R"({"x":1e9,"y":0})",
                              R"({"scans":7})",
                              R"({"scans":[7]})",
                              R"({"scans":[{"sentences":0}]})",
                              R"({"scans":[{"model":"f00d","twins":-1}]})",
                              R"({"maximized":"yes"})");
  const auto read = ReadPreferences(folder.Write("preferences.json", text));
  REQUIRE_FALSE(read);
  CHECK(read.error().message.find("preferences.json") != std::string::npos);
  CHECK(read.error().message.find("starts as") != std::string::npos);
}

TEST_CASE("a folder and whole scans are kept", "[state][preferences]") {
  const test::TempFolder folder;
  const std::filesystem::path file = folder / "preferences.json";
  Preferences mine;
  mine.files_folder = "/data/models";
  mine.scans = {{"f00d", {.repeats = 20, .sentences = 0, .twins = 3}}};
  REQUIRE(WritePreferences(file, mine));
  CHECK(*ReadPreferences(file) == mine);
  mine.files_folder = "/data/\xff";  // a name that is no UTF-8 is no reason to fail
  REQUIRE(WritePreferences(file, mine));
  CHECK(ReadPreferences(file));
}

TEST_CASE("keys of another version are no trouble", "[state][preferences]") {
  const test::TempFolder folder;
  const auto read =
      ReadPreferences(folder.Write("p.json", R"({"theme":"light","later":{"a":[1]}})"));
  REQUIRE(read);
  CHECK(read->theme == Theme::kLight);
  CHECK(read->window == WindowPlacement{});
}

TEST_CASE("the state comes back to what it said", "[state][preferences]") {
  test::StateDriver before;
  before.Do(SetTheme{Theme::kLight});
  before.Do(SetCurve{Curve::kLog});
  before.Do(SetRange{RangeMode::kHead});
  before.Do(SetColormap{Colormap::kGreys});
  before.Do(SetDetailWidth{612.0F});
  before.Do(SetHeadLook{{.view = HeadView::kText, .keep = {.mass = 0.5}, .lines_in_grid = true}});
  Preferences preferences;
  TakeFromState(before.state, &preferences);
  test::StateDriver after;
  for (const Action& action : ActionsFor(preferences)) {
    after.Do(action);
  }
  Preferences again;
  TakeFromState(after.state, &again);
  CHECK(again == preferences);
  CHECK(after.state.head_look == before.state.head_look);
  CHECK(again.head_view == HeadView::kText);
}

TEST_CASE("the state says what is preferred", "[state][preferences]") {
  AppState state;
  state.theme = Theme::kLight;
  state.settings.range = RangeMode::kRow;
  state.detail_width = 700.0F;
  Preferences preferences;
  preferences.window.width = 900;
  TakeFromState(state, &preferences);
  CHECK(preferences.theme == Theme::kLight);
  CHECK(preferences.range == RangeMode::kRow);
  CHECK(preferences.detail_width == 700.0F);
  CHECK(preferences.window.width == 900);
}

}  // namespace
}  // namespace headscope
