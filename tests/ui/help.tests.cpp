// Every word on screen is defined in the help, and the help shows all of its words.
#include <array>
#include <set>
#include <string>
#include <string_view>

#include "app/views/help/tour.h"
#include "app/views/help/words.h"
#include "app/views/screens.h"
#include "core/figure/color_scale.h"
#include "core/heads/flags/role.h"
#include "core/heads/measure/measure.h"
#include "tests/support/catch.h"
#include "tests/ui/shown_layer.h"

namespace headscope::test {
namespace {

// What stands on the screens and dialogs; a word that comes to them comes here.
constexpr std::array kOnScreen = {"map",
                                  "token",
                                  "query",
                                  "key",
                                  "dot product",
                                  "q·k",
                                  "score",
                                  "softmax",
                                  "weight",
                                  "rank",
                                  "masked",
                                  "row",
                                  "sums to",
                                  "in the vocabulary",
                                  "unknown",
                                  "first tokens",
                                  "kept",
                                  "fit",
                                  "pooled",
                                  "mean",
                                  "max",
                                  "largest",
                                  "curve",
                                  "range",
                                  "square root",
                                  "logarithm",
                                  "0 to 1",
                                  "all heads",
                                  "row's largest",
                                  "per head",
                                  "per layer",
                                  "per row",
                                  "colour map",
                                  "dark",
                                  "light",
                                  "layer",
                                  "head",
                                  "d",
                                  "dₖ",
                                  "d_k",
                                  "kv heads",
                                  "part",
                                  "target",
                                  "generated",
                                  "precision",
                                  "float32",
                                  "bfloat16",
                                  "oneDNN",
                                  "threads",
                                  "checkpoints",
                                  "step",
                                  "embeddings",
                                  "attention from a file",
                                  "ids",
                                  "samples",
                                  "h",
                                  "head counts",
                                  "trained",
                                  "columns",
                                  "parameters",
                                  "multiplies",
                                  "softmax cells",
                                  "maps",
                                  "divergence",
                                  "change of output",
                                  "effective heads",
                                  "cost",
                                  "flag",
                                  "flagged",
                                  "role",
                                  "note",
                                  "session",
                                  "saved",
                                  "export",
                                  "PNG",
                                  "PDF",
                                  "longer side",
                                  "background",
                                  "encoder",
                                  "decoder",
                                  "cross",
                                  "window of attention",
                                  "lines",
                                  "arcs",
                                  "largest weights up to 90 %",
                                  "one head",
                                  "several",
                                  "looks at",
                                  "looked at by",
                                  "query·key",
                                  "product",
                                  "next word",
                                  "share",
                                  "direct logit attribution",
                                  "logit lens",
                                  "taken away",
                                  "other heads",
                                  "patching",
                                  "direct effect",
                                  "path patching",
                                  "row alone"};

TEST_CASE("every word on screen is defined", "[ui][help]") {
  for (const char* word : kOnScreen) {
    CAPTURE(word);
    const HelpWord* found = FindHelpWord(word);
    REQUIRE(found != nullptr);
    CHECK(found->meaning.size() > 20);
    CHECK(found->meaning.ends_with('.'));
  }
  for (const Role& role : kRoles) {
    CAPTURE(role.id);
    REQUIRE(FindHelpWord(role.id) != nullptr);
    CHECK(FindHelpWord(role.id)->meaning.find(role.meaning) != std::string::npos);
  }
  for (const HeadMeasure& measure : AllMeasures()) {
    std::string term = measure.name;
    std::erase(term, ',');
    CAPTURE(term);
    REQUIRE(FindHelpWord(term) != nullptr);
    CHECK(FindHelpWord(term)->meaning.ends_with('.'));
  }
  for (const Curve curve : {Curve::kLinear, Curve::kLog}) {
    CHECK(FindHelpWord(Name(curve)) != nullptr);
  }
  for (const Colormap map :
       {Colormap::kViridis, Colormap::kCividis, Colormap::kBlues, Colormap::kGreys}) {
    CHECK(FindHelpWord(Name(map)) != nullptr);
  }
  CHECK(FindHelpWord("no such word") == nullptr);
}

TEST_CASE("words about causes say what they do not prove, and have the open model's numbers",
          "[ui][help]") {
  for (const char* const term :
       {"next word", "share", "logit lens", "taken away", "patching", "path patching"}) {
    CAPTURE(term);
    const HelpWord* const word = FindHelpWord(term);
    REQUIRE(word != nullptr);
    CHECK(word->numbers != nullptr);
  }
  PanelDriver driver(1600.0F, 1000.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(SwitchHead{{1, 2}});
  driver.app.Do(SetScreen{&ScreenNamed("help").kind});
  driver.Frames(3);
  CHECK(driver.Says("L1H2"));
}

TEST_CASE("no word is defined twice", "[ui][help]") {
  for (const HelpChapter& chapter : HelpChapters()) {
    CHECK_FALSE(chapter.words.empty());
    for (const HelpWord& word : chapter.words) {
      const std::string first = word.term.substr(0, word.term.find(", "));
      CAPTURE(first);
      CHECK(FindHelpWord(first) == &word);
    }
  }
}

TEST_CASE("the help shows all its words in any window, and scrolls to the last", "[ui][help]") {
  PanelDriver driver(GENERATE(640.0F, 1000.0F, 1600.0F), 700.0F);
  driver.app.Do(SetScreen{&ScreenNamed("help").kind});
  driver.Frames(3);
  for (const HelpChapter& chapter : HelpChapters()) {
    CHECK(driver.Says(std::string(chapter.title)));
    for (const HelpWord& word : chapter.words) {
      CAPTURE(word.term);
      for (std::size_t begin = 0; begin < word.term.size();) {  // paragraphs come word by word
        const std::size_t end = std::min(word.term.find(' ', begin), word.term.size());
        CHECK(driver.Says(word.term.substr(begin, end - begin)));
        begin = end + 1;
      }
    }
  }
  // Words out of sight are measured, not drawn: a list of 16-bit indices holds 65,536 corners.
  CHECK(driver.drawn().TotalVtxCount < 10'000);
}

TEST_CASE("the tour leads through the window, and ends where it began", "[ui][help][tour]") {
  for (const auto& [width, height] : {std::pair(1600.0F, 1000.0F), std::pair(1000.0F, 700.0F)}) {
    INFO(width);
    PanelDriver driver(width, height);
    driver.app.ShowSomething(6);
    driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
    driver.Frames(2);
    CHECK_FALSE(driver.Says("1 of 8"));
    for (Action& action : ActionsOfTour(driver.state(), 0)) {
      driver.app.Do(std::move(action));
    }
    driver.Frames(2);
    CHECK(driver.Says("1 of 8"));
    CHECK(TellsWords(&driver, "All heads at once"));
    std::set<std::string_view> screens;
    for (int stop = 2; stop <= 8; ++stop) {
      driver.Press(stop % 2 == 0 ? Key::kEnter : Key::kRight);
      INFO(stop);
      CHECK(driver.Says(std::to_string(stop) + " of 8"));
      screens.insert(driver.state().screen->id);
    }
    CHECK(screens == std::set<std::string_view>{"inspect", "counts", "heads"});
    CHECK(driver.Says("Done"));
    driver.Press(Key::kLeft);
    CHECK(driver.Says("7 of 8"));
    driver.Press(Key::kRight);
    driver.Press(Key::kEnter);
    CHECK_FALSE(driver.state().tour.has_value());
    CHECK(driver.state().screen->id == "inspect");
    CHECK_FALSE(driver.state().sheet_open);
    driver.app.Do(SetTour{2});
    driver.Frames(2);
    driver.Press(Key::kEscape);
    CHECK_FALSE(driver.state().tour.has_value());
  }
}

TEST_CASE("letters that are typed during the tour go where they would", "[ui][help][tour]") {
  PanelDriver driver;
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("inspect").kind});
  driver.app.Do(SetTour{1});
  driver.Frames(2);
  driver.Type("/");
  driver.Frames(2);
  driver.Type("x");
  driver.Press(Key::kRight);
  CHECK(driver.state().input.text.find('x') != std::string::npos);
  CHECK(driver.state().tour == std::size_t{1});
}

}  // namespace
}  // namespace headscope::test
