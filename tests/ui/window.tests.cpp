#include <algorithm>
#include <cmath>

#include "app/views/help/commands.h"
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("nothing is cut off at any size and scale", "[ui][window]") {
  struct Size {
    float width;
    float height;
    float scale;
  };
  const Size size = GENERATE(Size{1600, 1000, 1},
                             Size{1000, 700, 1},
                             Size{1600, 1000, 2},
                             Size{2560, 1440, 1.5},
                             Size{640, 480, 1},
                             Size{97, 61, 1},
                             Size{300, 120, 2});
  PanelDriver driver(size.width, size.height, size.scale);
  driver.app.ShowSomething(6);
  const bool sheet = GENERATE(false, true);
  driver.app.Do(ShowSheet{sheet});
  driver.Frames(3);
  for (const SceneRegion& region : driver.scene().regions) {
    CHECK(region.rect.x >= 0.0F);
    CHECK(region.rect.y >= 0.0F);
    CHECK(region.rect.x + region.rect.width <= size.width);
    CHECK(region.rect.y + region.rect.height <= size.height);
  }
  // Regions cover the window and do not overlap: their areas add up.
  float area = 0.0F;
  for (const SceneRegion& region : driver.scene().regions) {
    area += region.rect.width * region.rect.height;
  }
  CHECK(area == Approx(size.width * size.height));
  CHECK(driver.layout().narrow == (size.width / size.scale < 1200.0F));
}

TEST_CASE("where the window is narrow a click opens the sheet, Esc closes it", "[ui][window]") {
  PanelDriver driver(1000.0F, 700.0F);
  driver.app.ShowSomething(6);
  driver.Frames(3);
  CHECK(driver.layout().detail.width == 0.0F);
  const Rect& thumb = driver.region(Panel::kMiddle).maps.front().target;
  driver.Click(thumb.x + 5.0F, thumb.y + 5.0F);
  CHECK(driver.layout().detail.width == 560.0F);
  driver.Press(Key::kEscape);  // unlocks
  driver.Press(Key::kEscape);
  driver.Frame();
  CHECK(driver.layout().detail.width == 0.0F);
}

TEST_CASE("number keys and the rail change the screen", "[ui][window]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.Type("2");
  CHECK(CurrentScreen(driver.state()).kind.id == "counts");
  driver.Type("6");
  CHECK(CurrentScreen(driver.state()).kind.id == "help");
  CHECK(driver.Says("Keys and mouse"));
  driver.Type("4");
  CHECK(CurrentScreen(driver.state()).kind.id == "compare");
  driver.Type("1");
  CHECK(CurrentScreen(driver.state()).kind.id == "inspect");
  driver.Type("5");
  CHECK(CurrentScreen(driver.state()).kind.id == "figures");
  driver.Type("3");
  CHECK(CurrentScreen(driver.state()).kind.id == "heads");
  driver.Click(32.0F, 56.0F + 8.0F + 56.0F + 20.0F);
  CHECK(CurrentScreen(driver.state()).kind.id == "counts");
}

TEST_CASE("the status line says what is done, with Cancel where it may take long", "[ui][window]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  CHECK_FALSE(driver.Says("Cancel"));
  driver.app.state.alike.request = 50;
  driver.Frame();
  CHECK_FALSE(driver.Says("finding heads that look alike"));  // quick work does not flicker
  driver.Frames(12);
  CHECK(driver.Says("finding heads that look alike"));
  CHECK_FALSE(driver.Says("Cancel"));
  driver.app.state.scan.request = 51;
  driver.app.state.counts.request = 52;
  driver.app.state.alike.request = 0;
  driver.Frame();
  CHECK(driver.Says("computing head counts"));
  CHECK(driver.Says("Cancel"));
  driver.app.state.counts.request = 0;
  driver.Frame();
  CHECK(driver.Says("scanning all heads"));
}

TEST_CASE("all that is computed stands in one list, each with a button that stops it alone",
          "[ui][window][work]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.state.scan.request = 51;
  driver.Frames(2);
  CHECK_FALSE(driver.Says("more …"));  // nothing else waits
  driver.app.state.counts.request = 52;
  driver.app.state.ablation.request = 53;
  driver.Frames(2);
  CHECK(driver.Says("2 more …"));
  driver.memory().popup_anchor = {300.0F, 200.0F, 40.0F, 20.0F};
  driver.app.Do(OpenPopup{Popup::kWork});
  driver.Frames(4);
  CHECK(driver.Says("computing head counts"));
  CHECK(driver.Says("scanning all heads"));
  driver.app.effects.clear();
  driver.app.Do(StopWork{51});
  REQUIRE(driver.app.Count<Cancel>() == 1);
  CHECK(driver.app.Last<Cancel>()->id == 51);
  CHECK(driver.app.state.counts.request == 52);
  // The work that is first in line is told once in the list, and can be stopped by a click.
  driver.app.effects.clear();
  for (float y = 200.0F; y < 400.0F && driver.app.Count<Cancel>() == 0; y += 10.0F) {
    for (float x = 760.0F; x < 830.0F && driver.app.Count<Cancel>() == 0; x += 20.0F) {
      driver.Click(x, y);
      if (driver.state().dialogs.popup != Popup::kWork) {
        driver.app.Do(OpenPopup{Popup::kWork});
        driver.Frames(4);
      }
    }
  }
  CHECK(driver.app.Count<Cancel>() == 1);
}

TEST_CASE("work of known length says how long it still takes", "[ui][window][work]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.state.examples.request = 60;
  driver.app.state.examples.progress = {0, 100, "finding examples"};
  driver.Frames(30);
  CHECK_FALSE(driver.Says(" left"));
  driver.Frames(60);
  driver.app.state.examples.progress = {50, 100, "finding examples"};
  driver.Frames(30);  // two seconds since it began: half of it is done
  CHECK(driver.Says("finding examples, 2 s left"));
}

TEST_CASE("the highest weight of the range is typed, and R ends it", "[ui][window][range]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetRange{RangeMode::kHead});
  driver.Frames(2);
  driver.app.Do(OpenPopup{Popup::kRange});
  driver.Frames(4);
  REQUIRE(driver.memory().fields.Focus("highest weight"));
  driver.PressCtrl('A');
  driver.Type("0.2");
  driver.Frames(2);
  CHECK(driver.state().settings.range == RangeMode::kFixed);
  CHECK(driver.state().settings.high == 0.2F);
  CHECK(ScaleFor(driver.state(), {0, 0}).high == 0.2F);
  driver.Type("x");  // no number: what was there stays
  driver.Frames(2);
  CHECK(driver.state().settings.high == 0.2F);
  driver.app.Do(ClosePopup);
  driver.Frames(2);
  CHECK(driver.Says("0 to 0.2"));
  // A range that is chosen by its name is the whole of it.
  for (const Command& command : FindCommands(CommandsOf(driver.state()), "range 0 to 1")) {
    for (const Action& action : command.actions) {
      driver.app.Do(action);
    }
  }
  CHECK(driver.state().settings.high == 1.0F);
  driver.app.Do(SetRange{RangeMode::kFixed, 0.2F});
  driver.Frames(2);
  driver.Type("r");
  CHECK(driver.state().settings.high == 1.0F);
  CHECK(driver.state().settings.range == RangeMode::kRow);
}

TEST_CASE("typing into the sentence asks for its heads and walks nothing", "[ui][window]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.Type("/");
  driver.Frames(2);
  driver.app.effects.clear();
  driver.Press(Key::kRight);
  driver.Type("f2");
  CHECK(driver.state().input.text.find("f2") != std::string::npos);
  CHECK(driver.app.CountRequests<AttendRequest>() == 2);
  CHECK(CurrentScreen(driver.state()).kind.id == "inspect");
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  const std::string text = driver.state().input.text;
  driver.Press(Key::kEscape);  // leaves the box and keeps the text
  CHECK(driver.state().input.text == text);
  driver.Type("f");
  CHECK(driver.state().dialogs.popup == Popup::kFlag);
}

TEST_CASE("F flags the head: role, note, save; the bar shows in the grid", "[ui][flags]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.Type("f");
  driver.Frames(6);
  CHECK(driver.state().dialogs.popup == Popup::kFlag);
  driver.Press(Key::kDown);
  CHECK(driver.state().dialogs.flag.role == "positional");
  driver.Type("seen");  // no digit: the note
  driver.Frames(6);
  CHECK(driver.state().dialogs.flag.note == "seen");
  driver.Press(Key::kEnter);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  REQUIRE(FlagsInView(driver.state()).flags.size() == 1);
  CHECK(FlagsInView(driver.state()).flags[0].note == "seen");
  CHECK(driver.app.Last<StoreSession>() != nullptr);
  driver.Frames(2);
  CHECK(driver.Says("positional"));
  driver.PressCtrl('Z');
  CHECK(FlagsInView(driver.state()).flags.empty());
  driver.PressCtrl('Y');
  CHECK(FlagsInView(driver.state()).flags.size() == 1);
}

TEST_CASE("what is typed before a field can take it waits for the field", "[ui][keys]") {
  const int frames_between = GENERATE(-1, 0, 1, 2, 5);  // -1: all before the first frame
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  const MapSettings before = driver.state().settings;
  if (frames_between < 0) {
    driver.TypeAtOnce("f4copies 2");
    driver.Frames(14);
  } else {
    driver.TypeAtOnce("f");
    driver.Frames(frames_between);
    driver.TypeAtOnce("4co");
    driver.TypeAtOnce("pies 2");
    driver.Frames(14);
  }
  CHECK(driver.state().dialogs.popup == Popup::kFlag);
  CHECK(driver.state().dialogs.flag.role == "induction");  // the digit, as long as no field has it
  CHECK(driver.state().dialogs.flag.note == "copies 2");
  CHECK(driver.state().settings.curve == before.curve);  // C was no shortcut
  driver.Press(Key::kEscape);
  driver.Frames(2);
  driver.Type("f");
  driver.Frames(8);
  CHECK(driver.state().dialogs.flag.note == "copies 2");  // kept, though nobody saved it
  driver.Press(Key::kEnter);
  driver.Frames(8);
  REQUIRE(FlagsInView(driver.state()).flags.size() == 1);
  CHECK(FlagsInView(driver.state()).flags[0].note == "copies 2");
}

TEST_CASE("keys that wait for a field wait for no further event", "[ui][keys]") {
  PanelDriver driver;  // nothing is shown: F opens nothing, so no field ever comes
  driver.Frames(3);
  const Theme before = driver.state().theme;
  driver.TypeAtOnce("ft");
  int frames = 0;
  while (driver.wants_frame() && frames < 20) {
    driver.Frame();
    ++frames;
  }
  CHECK(frames < 20);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  CHECK(driver.state().theme != before);
}

TEST_CASE("letters after a slash go into the sentence", "[ui][keys]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.TypeAtOnce("/ cat");
  driver.Frames(6);
  CHECK(driver.state().input.text.find(" cat") != std::string::npos);
  CHECK(CurrentScreen(driver.state()).kind.id == "inspect");
}

TEST_CASE("a click beside a popup closes it", "[ui][popups]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.Frames(2);
  driver.PressCtrl('E');
  driver.Frames(3);
  CHECK(driver.state().dialogs.popup == Popup::kExport);
  CHECK(driver.Says("longer side"));
  driver.Click(200.0F, 900.0F);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
  driver.Type("m");
  CHECK(driver.state().dialogs.popup == Popup::kModels);
  driver.Press(Key::kEscape);
  CHECK(driver.state().dialogs.popup == Popup::kNone);
}

TEST_CASE("an error stands where the result would be and goes away", "[ui][errors]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(OpenFolder{"/models/broken"});
  driver.app.Event(driver.state().opening.request,
                   Failed{{ErrorCode::kIo, "config.json: missing"}});
  driver.Frames(3);
  CHECK(driver.Says("This model cannot be shown"));
  CHECK(driver.Says("config.json:"));
  CHECK(driver.Says("This is still the previous picture."));
  CHECK(driver.region(Panel::kMiddle).maps.size() == 12);
  driver.Press(Key::kEscape);
  driver.Frame();
  CHECK_FALSE(driver.Says("This model cannot be shown"));
}

TEST_CASE("without a model the window says how to open one", "[ui][errors]") {
  PanelDriver driver;
  driver.Frames(3);
  CHECK(driver.Says("Open a model"));
}

TEST_CASE("a model that reads no text asks for ids and has some to begin with", "[ui][errors]") {
  const std::string fault = GENERATE(std::string(), std::string("tokenizer.json: Riddle"));
  PanelDriver driver;
  driver.app.ShowSomething();
  ModelInfo bare = *StateDriver::Model("bare", 2, 4);
  bare.takes_text = false;
  bare.tokenizer_fault = fault;
  bare.description.vocabulary = 50;
  bare.description.positions = 64;
  driver.app.Do(OpenFolder{"/models/bare"});
  driver.app.Do(
      ModelReady{driver.state().opening.request, std::make_shared<const ModelInfo>(bare)});
  driver.Frames(3);
  CHECK(driver.Says("Token ids to look at"));
  CHECK(driver.Says("ids: 1, 2, 3"));
  CHECK(driver.Says("Repeat 16 random tokens"));
  CHECK(driver.region(Panel::kMiddle).maps.empty());
  CHECK(driver.region(Panel::kDetail).maps.empty());
  CHECK(driver.Says("Riddle") == !fault.empty());
  const Rect& middle = driver.layout().middle_visible;
  const float x = middle.x + middle.width / 2.0F - 200.0F;
  for (float y = middle.y + 200.0F;
       driver.state().input.ids.empty() && y < middle.y + middle.height;
       y += 12.0F) {
    driver.Click(x, y);
  }
  REQUIRE(driver.state().input.ids.size() == 32);
  driver.app.Answer(32);
  driver.Frames(3);
  CHECK_FALSE(driver.region(Panel::kMiddle).maps.empty());
  // Why there are no texts stands under the box as long as the model is open.
  CHECK(driver.Says("Riddle") == !fault.empty());
}

TEST_CASE("head counts: a row for each, the trained one marked, the cost told", "[ui][counts]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  for (const std::int64_t heads : {1, 2, 4}) {
    SplitCount count;
    count.heads = heads;
    count.attention = test::EvenLayer(0, heads, 6);
    count.softmax_cells = heads * 36;
    split->counts.push_back(count);
  }
  driver.app.Event(driver.state().counts.request, SplitReady{split});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.Frames(3);
  CHECK(driver.region(Panel::kMiddle).maps.size() == 7);
  CHECK(driver.region(Panel::kDetail).maps.size() == 1);
  CHECK(driver.Says("h = 1"));
  CHECK(driver.Says("trained"));
  CHECK(driver.Says("Cost of this layer for 6 tokens"));
  const Rect one = driver.region(Panel::kMiddle).maps.front().target;
  driver.Click(one.x + 5.0F, one.y + 5.0F);
  CHECK(driver.state().counts.chosen == CountHead{1, 0});
  driver.Press(Key::kDown);
  CHECK(driver.state().counts.chosen == CountHead{2, 0});
}

TEST_CASE("maps of head counts end where the tab of the sheet begins", "[ui][counts]") {
  PanelDriver driver(1000.0F, 700.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  auto split = std::make_shared<SplitResult>();
  split->trained_heads = 4;
  for (const std::int64_t heads : {1, 2, 4, 8, 16}) {
    SplitCount& count = split->counts.emplace_back();
    count.heads = heads;
    count.attention = test::EvenLayer(0, heads, 6);
  }
  driver.app.Event(driver.state().counts.request, SplitReady{split});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("h = 4, head 0 ▸"));
  const SceneRegion& middle = driver.region(Panel::kMiddle);
  const auto is_cut = [](const std::vector<MapPlacement>& maps, float bottom) {
    return std::ranges::any_of(maps, [bottom](const MapPlacement& map) {
      return map.target.y + map.target.height > bottom;
    });
  };
  const float bottom = middle.maps_clip.y + middle.maps_clip.height;
  CHECK(bottom <= middle.rect.y + middle.rect.height - 40.0F);  // of the tab and what is below it
  CHECK(middle.maps_clip.height > 300.0F);
  CHECK(is_cut(middle.maps, bottom));
  for (const FilledRect& fill : middle.fills) {
    CHECK(fill.rect.y + fill.rect.height <= bottom);
  }
}

TEST_CASE("every text of the theme reads", "[ui][theme]") {
  for (const Theme theme : {Theme::kDark, Theme::kLight}) {
    const ThemeColors& colors = ColorsOf(theme);
    for (const Rgb ground : {colors.background, colors.panel, colors.raised}) {
      CHECK(Contrast(colors.text, ground) >= 4.5);
      CHECK(Contrast(colors.muted, ground) >= 4.5);
      CHECK(Contrast(colors.dim, ground) >= 4.5);
      CHECK(Contrast(colors.accent, ground) >= 4.5);
    }
  }
}

}  // namespace
}  // namespace headscope::test
