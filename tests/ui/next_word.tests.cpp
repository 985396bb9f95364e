// The next word below a held row, by real events.
#include "tests/support/next_word.h"

#include "tests/support/catch.h"
#include "tests/ui/imgui_input.h"
#include "tests/ui/panel_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("a cross at a likely token lets the text go on with it, and a button writes on",
          "[ui][inspect][write]") {
  PanelDriver driver(1600.0F, 1400.0F);
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.app.Do(ClickCell{MapPoint{.query = 5}});
  driver.Frames(2);
  auto word = *SomeNextWord();
  word.continued = {"a b c man", "a b c captain", "a b c boy"};
  const RequestId id = driver.state().next_word.request;
  driver.app.Event(id, NextWordSaid{std::make_shared<const NextWord>(std::move(word))});
  driver.app.Event(id, Finished{});
  driver.Frames(3);
  REQUIRE(driver.Says("Write 10 tokens"));
  const Rect& detail = driver.layout().detail;
  const bool by_button = GENERATE(true, false);
  const float x = by_button ? detail.x + detail.width - 60.0F : detail.x + 26.0F;
  for (float y = detail.y + detail.height - 10.0F;
       y > detail.y + 300.0F && driver.state().input.text == "a b c";
       y -= 8.0F) {
    driver.Click(x, y);
  }
  if (by_button) {
    CHECK(driver.state().input.text == "a b c man");
    CHECK(driver.state().writing.tokens == 9);
    driver.Frames(2);
  } else {
    CHECK(driver.state().input.text == "a b c boy");  // the lowest
    CHECK(driver.state().writing.tokens == 0);
  }
}

TEST_CASE("a held row says the next word, and the map of shares leads to a head", "[ui][inspect]") {
  PanelDriver driver(1600.0F, 1200.0F);
  driver.app.ShowSomething(6);
  driver.Frames(3);
  CHECK_FALSE(driver.Says("The next word"));
  driver.app.Do(ClickCell{MapPoint{.query = 3}});
  driver.Frames(2);
  CHECK(driver.Says("The next word"));
  CHECK(driver.Says("asking the model…"));
  const RequestId id = driver.state().next_word.request;
  driver.app.Event(id, NextWordSaid{SomeNextWord()});
  driver.app.Event(id, Finished{});
  driver.Frames(2);
  CHECK(driver.Says("captain: 20.0 %, rank 2, loss 1.61"));
  CHECK(driver.Says("man"));
  CHECK(driver.Says("each head's share in"));
  CHECK(driver.Says("every part of “man”"));
  CHECK(driver.Says("sum 1.50, logit 1.50 (0e+00 apart)"));
  CHECK(driver.Says("most: L0H3, +2.00; red up, blue down"));
  const Rect& panel = driver.layout().detail;
  const HeadIndex before = driver.state().selection.head;
  for (float at = panel.y + panel.height; at > panel.y && !driver.state().selection.head_locked;
       at -= 7.0F) {
    driver.Click(panel.x + panel.width - 40.0F, at);
  }
  CHECK(driver.state().selection.head_locked);
  CHECK(driver.state().selection.head != before);
  CHECK(driver.state().selection.point == MapPoint{.query = 3});
  // The row is the same: what was said stays, while the head's keys are asked for.
  CHECK(driver.Says("every part of “man”"));
  CHECK(driver.Says(HeadName(driver.state().selection.head) + ": by key …"));
}

TEST_CASE("a click on a likely token splits its logit, with Shift the lead over it",
          "[ui][inspect]") {
  PanelDriver driver(1600.0F, 1600.0F);
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.app.Do(ClickCell{MapPoint{.query = 3}});
  driver.Frames(2);
  const RequestId id = driver.state().next_word.request;
  driver.app.Event(id, NextWordSaid{SomeNextWord()});
  driver.app.Event(id, Finished{});
  driver.Frames(3);
  const Rect& detail = driver.layout().detail;
  const bool is_lead = GENERATE(false, true);
  SetShift(is_lead);
  const SplitTokens& tokens = driver.state().split_tokens;
  for (float y = detail.y + 400.0F; y < detail.y + detail.height && tokens == SplitTokens{};
       y += 6.0F) {
    driver.Click(detail.x + 40.0F, y);
    if (driver.state().selection.point != MapPoint{.query = 3}) {
      driver.app.Do(ClickCell{MapPoint{.query = 3}});  // it was a token of the text
      driver.Frames(2);
    }
  }
  SetShift(false);
  // The likeliest is split anyway: the next line is the first that chooses; a lead is over any.
  CHECK(tokens == (is_lead ? SplitTokens{"man", "man"} : SplitTokens{" captain", ""}));
}

TEST_CASE("a token that the vocabulary lacks is told, and the likeliest is shown",
          "[ui][inspect]") {
  PanelDriver driver(1600.0F, 1400.0F);
  driver.app.ShowSomething(6);
  driver.Frames(3);
  driver.app.Do(ClickCell{MapPoint{.query = 3}});
  driver.app.Do(SetSplitTokens{{.of = "zzz", .over = ""}});
  driver.Frames(2);
  auto word = *SomeNextWord();
  word.token_fault = "unheard-of";
  const RequestId id = driver.state().next_word.request;
  driver.app.Event(id, NextWordSaid{std::make_shared<const NextWord>(std::move(word))});
  driver.app.Event(id, Finished{});
  driver.Frames(3);
  CHECK(driver.Says("unheard-of"));
  CHECK(driver.Says("Shown: “man”, the likeliest"));
  CHECK(driver.Says("every part of “man”"));
}

}  // namespace
}  // namespace headscope::test
