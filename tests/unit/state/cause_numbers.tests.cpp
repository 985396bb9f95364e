// What Help tells of the open model's causes.
#include "app/state/cause_numbers.h"

#include <memory>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/next_word.h"
#include "tests/support/screens.h"
#include "tests/unit/state/compare/compare_stub.h"
#include "tests/unit/state/compare/patch_stub.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kNumbersHelp{.id = "help", .subject = ScreenSubject::kNothing};
constexpr ScreenKind kNumbersCompare{.id = "compare", .compares = true};

bool Tells(const std::string& words, std::string_view part) {
  CAPTURE(words);
  return words.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("what was said of a held row stays while Help tells it, and goes with the text",
          "[state][help]") {
  StateDriver driver;
  driver.ShowSomething(6);
  CHECK(Tells(NextWordNumbers(driver.state), "Hold a row"));
  CHECK(ShareNumbers(driver.state).empty());
  CHECK(LensNumbers(driver.state).empty());
  driver.Do(SetScreen{&kHeadsScreen});
  driver.Do(ClickCell{MapPoint{.query = 3}});
  auto word = *SomeNextWord();
  LogitShares& shares = *word.prediction.shares;
  shares.question.id = 7;
  shares.logit = 4.0;
  shares.sum = 4.0;
  shares.parts.push_back({.kind = SharePart::Kind::kMlp, .layer = {}, .share = 2.5});
  word.prediction.lens = {{0, {{9, 1.0, 0.25}}}, {1, {{7, 2.0, 0.4}}}, {2, {{7, 4.0, 0.5}}}};
  word.lens = {{"boy"}, {"man"}, {"man"}};
  const RequestId id = driver.state.next_word.request;
  REQUIRE(id != 0);
  driver.Event(id, NextWordSaid{std::make_shared<const NextWord>(std::move(word))});
  driver.Event(id, Finished{});
  driver.Do(SetScreen{&kNumbersHelp});
  CHECK(driver.state.next_word.answer == nullptr);  // no row is held here
  const std::string next = NextWordNumbers(driver.state);
  CHECK(Tells(next, "In the open model, at row 3 ("));
  CHECK(Tells(next, "likeliest is “man” with 50.0 % (logit 4.00)"));
  CHECK(Tells(next, "“captain” came: 20.0 %, rank 2, loss 1.61."));
  const std::string share = ShareNumbers(driver.state);
  CHECK(Tells(share, "the shares of 3 parts add up to 4.000, the logit of “man” is 4.000"));
  CHECK(Tells(share, "All heads together give +1.50, MLPs +2.50"));
  CHECK(Tells(share, "the largest of a head is +2.00 of L0H3."));
  const std::string lens = LensNumbers(driver.state);
  CHECK(Tells(lens, "“man” is the likeliest from L1 on; after L0 it would be “boy” (25.0 %)."));
  driver.Do(EditText{"d e f"});
  driver.Answer(6);
  CHECK(Tells(NextWordNumbers(driver.state), "Hold a row"));
}

TEST_CASE("heads that are off are told with what they cost", "[state][help]") {
  StateDriver driver;
  driver.ShowSomething(6);
  CHECK(Tells(HeadsOffNumbers(driver.state), "Take a head away"));
  driver.Do(SetScreen{&kHeadsScreen});
  driver.Do(SwitchHead{{1, 2}});
  CHECK(Tells(HeadsOffNumbers(driver.state), "In the open model, 1 head off: L1H2 (zero)"));
}

TEST_CASE("patching and paths are told by their largest share", "[state][help]") {
  StateDriver driver;
  driver.ShowSomething(6);
  CHECK(Tells(PatchingNumbers(driver.state), "Compare two texts"));
  CHECK(Tells(PathNumbers(driver.state), "Choose Direct"));
  driver.Do(SetScreen{&kNumbersCompare});
  ComparedSide other;
  other.input.emplace().text = "d e f";
  driver.Do(CompareWith{other});
  const RequestId compared = driver.state.compare.request;
  driver.Event(compared, SidesCompared{StubPair(driver.state)});
  driver.Event(compared, Finished{});
  const auto patch = [&](bool follows_paths) {
    PatchLook look = driver.state.compare.patch_look;
    look.is_shown = true;
    look.paths.is_shown = follows_paths;
    driver.Do(SetPatchLook{look});
    while (const RequestId id = driver.state.compare.patching.request) {
      driver.Event(id, TextsPatched{StubAnswer(*driver.LastRequest<PatchJob>())});
      driver.Event(id, Finished{});
    }
  };
  patch(false);
  const std::string heads = PatchingNumbers(driver.state);
  CHECK(Tells(heads, "the lead of “Mary” over “John” after “to” is A +3.00, B -1.00"));
  CHECK(Tells(heads, "B is run with a head's output taken from A"));
  CHECK(Tells(heads, "the largest share is +0.90 of L2H3."));
  CHECK(Tells(PathNumbers(driver.state), "Choose Direct"));
  patch(true);
  CHECK(Tells(PathNumbers(driver.state), "along direct paths to the logits the largest share is"));
  CHECK(Tells(PathNumbers(driver.state), "all 12 heads at once bring +0.75."));
  CHECK(PatchingNumbers(driver.state) == heads);
  driver.Do(EditText{"g h i"});
  driver.Answer(6);
  CHECK(Tells(PatchingNumbers(driver.state), "Compare two texts"));  // of another text
}

}  // namespace headscope::test
