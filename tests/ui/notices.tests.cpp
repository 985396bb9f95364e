// Notices: how much room they take, whatever they say and however many they are.
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/ui/drawn_parts.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

std::string LongSentence() {
  std::string text = "/a/folder/with/a/name/that/is/as/long/as/names/of/folders/sometimes/are:";
  for (int i = 0; i < 60; ++i) {
    text += " expected one thing and found another,";
  }
  return text + " zebra";
}

constexpr std::array<std::pair<ErrorPlace, const char*>, 4> kPlaces = {
    {{ErrorPlace::kText, "This text cannot be run"},
     {ErrorPlace::kSession, "The session file was left alone"},
     {ErrorPlace::kMap, "This map cannot be made"},
     {ErrorPlace::kProbe, "Heads cannot be scored on this"}}};

TEST_CASE("notices stay on the maps, however long and many they are", "[ui][errors]") {
  struct Size {
    float width;
    float height;
    float scale;
  };
  const Size size = GENERATE(Size{1600, 1000, 1},
                             Size{1000, 700, 1},
                             Size{1600, 1000, 2},
                             Size{1248, 1120, 2},
                             Size{624, 560, 1},
                             Size{400, 300, 1});
  const bool sheet = GENERATE(false, true);
  const std::size_t count = GENERATE(std::size_t{1}, std::size_t{4});
  CAPTURE(size.width, size.height, size.scale, sheet, count);
  PanelDriver driver(size.width, size.height, size.scale);
  driver.app.ShowSomething(6);
  driver.app.Do(ShowSheet{sheet});
  for (std::size_t i = 0; i < count; ++i) {
    driver.app.Do(ReportError{kPlaces[i].first, LongSentence()});
  }
  driver.Frames(3);
  const WindowLayout& at = driver.layout();
  const Rect& maps = driver.region(Panel::kMiddle).rect;
  const bool is_covered = at.middle_visible.width < 240.0F * size.scale;
  const Rect room = is_covered && at.detail.width > 0.0F ? at.detail : maps;
  int shown = 0;
  for (const auto& [place, title] : kPlaces) {
    if (const auto card = DrawnIn(driver.drawn(), title)) {
      ++shown;
      INFO(title);
      CHECK(IsInside(*card, room));
    }
  }
  const Rect least = LeastWindow(size.scale);
  const bool has_room = size.width >= least.width && size.height >= least.height;
  CHECK((!has_room || shown >= 1));
  CHECK(shown <= static_cast<int>(count));
  if (shown > 0 && shown < static_cast<int>(count)) {
    CHECK(driver.Says(fmt::format("{} more", static_cast<int>(count) - shown)));
  }
}

TEST_CASE("a sentence that is cut ends in … and stands whole in its tooltip", "[ui][errors]") {
  PanelDriver driver(624.0F, 474.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(ReportError{ErrorPlace::kText, LongSentence()});
  driver.Frames(3);
  CHECK(driver.Says("…"));
  CHECK_FALSE(DrawnIn(driver.drawn(), "##Tooltip").has_value());
  const auto card = DrawnIn(driver.drawn(), kPlaces[0].second);
  REQUIRE(card.has_value());
  driver.MoveTo(card->x + 60.0F, card->y + 60.0F);
  driver.Frames(60);
  CHECK(DrawnIn(driver.drawn(), "##Tooltip").has_value());
}

TEST_CASE("a path that is wider than a texture is told in whole", "[ui][errors]") {
  PanelDriver driver(2560.0F, 1440.0F, 2.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(ReportError{ErrorPlace::kText, "/" + std::string(300, 'a')});
  driver.Frames(3);
  const auto card = DrawnIn(driver.drawn(), kPlaces[0].second);
  REQUIRE(card.has_value());
  CHECK(card->height > 4.0F * 41.0F);  // 301 letters of 15 pixels in lines of 1,200
}

TEST_CASE("no notice covers the way to a model", "[ui][errors]") {
  PanelDriver driver(800.0F, 560.0F);
  driver.app.Do(ReportError{ErrorPlace::kModel, LongSentence().substr(0, 700)});
  driver.Frames(3);
  const auto card = DrawnIn(driver.drawn(), "This model cannot be shown");
  REQUIRE(card.has_value());
  bool opens = false;
  for (float y = card->y + card->height; y < 520.0F && !opens; y += 12.0F) {
    for (float x = 160.0F; x < 400.0F && !opens; x += 40.0F) {
      driver.Click(x, y);
      opens = driver.state().dialogs.popup == Popup::kModels;
    }
  }
  CHECK(opens);
}

TEST_CASE("a short notice is told in full", "[ui][errors]") {
  PanelDriver driver(624.0F, 474.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(ReportError{ErrorPlace::kText, "the text has no token; type one zebra"});
  driver.Frames(3);
  CHECK(driver.Says("zebra"));
  CHECK_FALSE(driver.Says("…"));
}

TEST_CASE("an offer is taken by its button", "[ui][errors]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(OfferProbe{"/data/lines.txt", 2, false});
  driver.Frames(3);
  const auto card = DrawnIn(driver.drawn(), "A text, or texts to score heads on");
  REQUIRE(card.has_value());
  driver.Click(card->x + 60.0F, card->y + card->height - 26.0F);
  CHECK(driver.state().screen == &ScreenNamed("heads").kind);
  CHECK(driver.state().probe_scan.probe.file == "/data/lines.txt");
}

}  // namespace
}  // namespace headscope::test
