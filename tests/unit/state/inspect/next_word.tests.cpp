#include "tests/support/next_word.h"

#include "app/state/inspect/next_words.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("a held row's next word is asked for once, and goes with it", "[state][next word]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(PointCell{MapPoint{.query = 2}});
  CHECK(driver.CountRequests<NextWordJob>() == 0);
  driver.Do(ClickCell{MapPoint{.query = 2}});
  REQUIRE(driver.CountRequests<NextWordJob>() == 1);
  CHECK(driver.LastRequest<NextWordJob>()->row == 2);
  const RequestId id = driver.state.next_word.request;
  driver.Event(id, NextWordSaid{SomeNextWord()});
  driver.Event(id, Finished{});
  REQUIRE(driver.state.next_word.answer != nullptr);
  CHECK(WordInView(driver.state) == driver.state.next_word.answer);
  SECTION("another head says the same; its share by key is asked for") {
    driver.Do(StepHead{.layers = 1, .heads = 0});
    CHECK(driver.CountRequests<NextWordJob>() == 2);
    CHECK(driver.LastRequest<NextWordJob>()->by_key == driver.state.selection.head);
    CHECK(WordInView(driver.state) != nullptr);
  }
  SECTION("other tokens, for the same row: what was said stays in view") {
    driver.Do(SetSplitTokens{{.of = "captain", .over = "man"}});
    CHECK(driver.CountRequests<NextWordJob>() == 2);
    CHECK(driver.LastRequest<NextWordJob>()->tokens == SplitTokens{"captain", "man"});
    CHECK(WordInView(driver.state) != nullptr);
    driver.Do(ClickCell{MapPoint{.query = 1, .key = 0}});
    CHECK(driver.LastRequest<NextWordJob>()->tokens == SplitTokens{"captain", "man"});
    CHECK(WordInView(driver.state) == nullptr);
  }
  SECTION("another row") {
    driver.Do(ClickCell{MapPoint{.query = 1, .key = 0}});
    CHECK(driver.CountRequests<NextWordJob>() == 2);
    CHECK(WordInView(driver.state) == nullptr);
  }
  SECTION("let go") {
    driver.Do(Escape);
    CHECK(driver.state.next_word.answer == nullptr);
    CHECK(driver.CountRequests<NextWordJob>() == 1);
  }
  SECTION("head counts say no word") {
    driver.Do(SetScreen{&kCountsScreen});
    CHECK_FALSE(HeldRow(driver.state).has_value());
    CHECK(driver.state.next_word.answer == nullptr);
  }
}

// Answers what the row that is held was asked.
void SayNextWord(StateDriver* driver, const std::vector<std::string>& continued) {
  auto word = *SomeNextWord();
  word.continued = continued;
  const RequestId id = driver->state.next_word.request;
  REQUIRE(id != 0);
  driver->Event(id, NextWordSaid{std::make_shared<const NextWord>(std::move(word))});
  driver->Event(id, Finished{});
}

TEST_CASE("a text goes on with a token that is chosen, and its end stays held",
          "[state][next word]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(ClickCell{MapPoint{.query = 2}});
  CHECK_FALSE(driver.LastRequest<NextWordJob>()->continues.has_value());  // not its end
  driver.Do(ClickCell{MapPoint{.query = 5}});
  CHECK(driver.LastRequest<NextWordJob>()->continues == "a b c");
  SayNextWord(&driver, {"a b c man", "a b c captain", ""});
  REQUIRE(CanContinue(driver.state));
  SECTION("as a text") {
    driver.Do(ContinueText{1});
    CHECK(driver.state.input.text == "a b c captain");
    CHECK_FALSE(CanContinue(driver.state));
    driver.Answer(7);
    CHECK(driver.state.selection.point == MapPoint{.query = 6});
    CHECK(driver.state.selection.point_locked);
    CHECK(driver.LastRequest<NextWordJob>()->row == 6);
  }
  SECTION("as ids, where no text is cut so") {
    auto ids = driver.state.shown.encoding->Ids();
    ids.push_back(SomeNextWord()->prediction.rows.front().top[2].id);
    driver.Do(ContinueText{2});
    CHECK(driver.state.input.ids == ids);
    CHECK(driver.state.input.text.empty());
  }
  SECTION("ten tokens one after the other, until a person types or looks elsewhere") {
    driver.Do(WriteOn{3});
    CHECK(driver.state.input.text == "a b c man");
    driver.Answer(7);
    SayNextWord(&driver, {"a b c man two"});
    CHECK(driver.state.input.text == "a b c man two");
    CHECK(driver.state.writing.tokens == 1);
    const int how = GENERATE(0, 1, 2, 3);
    if (how == 0) {
      driver.Do(EditText{"mine"});
      CHECK(driver.state.writing.tokens == 0);
      CHECK(driver.state.input.text == "mine");
    } else if (how == 1) {
      driver.Answer(8);
      driver.Do(ClickCell{MapPoint{.query = 1}});
      driver.Do(ClickCell{MapPoint{.query = 7}});
      SayNextWord(&driver, {"a b c man two three"});
      CHECK(driver.state.input.text == "a b c man two");
    } else if (how == 2) {
      driver.Do(Action(CancelWork));
      driver.Answer(8);
      CHECK(driver.state.writing.tokens == 0);
    } else {
      driver.Answer(8);
      SayNextWord(&driver, {"a b c man two three"});
      CHECK(driver.state.input.text == "a b c man two three");
      CHECK(driver.state.writing.tokens == 0);
    }
  }
}

TEST_CASE("a model that says no word is explained, not asked again", "[state][next word]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickCell{MapPoint{.query = 2}});
  driver.Event(driver.state.next_word.request, Failed{{ErrorCode::kInput, "no output layer"}});
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<NextWordJob>() == 1);
  CHECK(driver.state.next_word.fault == "no output layer");
}

TEST_CASE("the words tell what came, the likeliest, and the shares", "[state][next word]") {
  const auto word = SomeNextWord();
  const NextWords words = WordsOfNext(*word);
  CHECK(words.title == "The next word");
  CHECK(words.told == "captain: 20.0 %, rank 2, loss 1.61");
  REQUIRE(words.lines.size() == 3);
  CHECK(
      words.lines[0] ==
      LikelyLine{
          .token = "man", .number = "50.0 %", .logit = "4.00", .length = 1.0F, .is_actual = false});
  CHECK(words.lines[1].is_actual);
  CHECK(words.lines[1].length == 0.4F);
  CHECK(words.lines[2].number == "<.1 %");
  CHECK(ShareOf(*word, {1, 2}) == -0.5);
  CHECK_FALSE(ShareOf(*word, {1, 3}).has_value());
  CHECK(LargestShare(*word) == 2.0);
  CHECK(MostWords(*word) == "most: L0H3, +2.00; red up, blue down");
  CHECK(ShareWords(*word, {0, 3}) == "L0H3: +2.00 of the logit");
  NextWord masked = *word;
  masked.prediction.is_masked = true;
  masked.is_masked_here = true;
  CHECK(WordsOfNext(masked).title == "The word here, masked");
  masked.is_masked_here = false;
  masked.prediction.rows.front().next.reset();
  masked.prediction.shares.reset();
  CHECK(WordsOfNext(masked).title == "The word here");
  CHECK(WordsOfNext(masked).told.empty());
}

TEST_CASE("every part of a logit is told, the largest first, and a head's share by key",
          "[state][next word]") {
  NextWord word = *SomeNextWord();
  LogitShares& shares = *word.prediction.shares;
  shares.parts.push_back({.kind = SharePart::Kind::kMlp,
                          .layer = {ModelPart::kWhole, 1},
                          .share = -3.0,
                          .above_mean = -2.5});
  shares.parts.push_back({.kind = SharePart::Kind::kEmbedding, .share = 0.25, .above_mean = 0.1});
  shares.sum = -1.25;
  shares.logit = -1.25;
  const ShareLines all = PartLines(word, 10);
  REQUIRE(all.lines.size() == 4);
  CHECK(all.rest.empty());
  CHECK(all.lines[0].name == "L1 MLP");
  CHECK(all.lines[0].number == "-3.00");
  CHECK(all.lines[0].length == -1.0F);
  CHECK(all.lines[0].mlp == LayerId{ModelPart::kWhole, 1});
  CHECK(all.lines[0].about == "-2.50 more than in the mean logit of the vocabulary");
  CHECK(all.lines[1].head == HeadIndex{0, 3});
  CHECK(all.lines[3].name == "embedding");
  const ShareLines some = PartLines(word, 2);
  CHECK(some.lines.size() == 2);
  CHECK(some.rest == "2 more, together -0.25");
  CHECK(SumWords(shares) == "sum -1.25, logit -1.25 (0e+00 apart)");
  Encoding keys;
  keys.tokens.resize(3);
  for (std::size_t i = 0; i < 3; ++i) {
    keys.tokens[i].text = std::string(1, static_cast<char>('a' + i));
  }
  CHECK_FALSE(KeyLines(word, {0, 3}, keys, 10).has_value());
  shares.keys[{0, 3}] = {0.5, 1.75, -0.25};
  const auto by_key = KeyLines(word, {0, 3}, keys, 10);
  REQUIRE(by_key.has_value());
  CHECK(by_key->lines[0].key == 1);
  CHECK(by_key->lines[0].number == "+1.75");
  CHECK(by_key->lines[2].number == "-0.25");
  keys.tokens.resize(2);
  CHECK_FALSE(KeyLines(word, {0, 3}, keys, 10).has_value());
  shares.question.against = 9;
  CHECK(SumWords(shares).find("lead -1.25") != std::string::npos);
  CHECK(ShareWords(word, {0, 3}) == "L0H3: +2.00 of the lead");
  CHECK(PartLines(word, 10).lines[0].about.empty());
  word.prediction.shares.reset();
  CHECK(PartLines(word, 10).lines.empty());
}

TEST_CASE("after each layer three words are told, and all where one points", "[state][next word]") {
  NextWord word = *SomeNextWord();
  CHECK(LensOf(word).empty());
  word.prediction.lens = {{0, {{5, 2.0, 0.4}, {8, 1.0, 0.3}, {7, 0.5, 0.2}, {9, -9.0, 0.0001}}},
                          {1, word.prediction.rows.front().top}};
  word.lens = {{"a", "captain", "man", "boy"}, word.top};
  const std::vector<LensLine> lines = LensOf(word);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0].layer == "L0");
  REQUIRE(lines[0].likeliest.size() == 3);
  CHECK(lines[0].likeliest[0] ==
        LikelyLine{.token = "a", .number = "40.0 %", .length = 0.4F, .is_actual = false});
  CHECK(lines[0].likeliest[1].is_actual);
  CHECK(lines[0].words ==
        "after L0, the stream itself would say:\na 40.0 %\ncaptain 30.0 %\nman 20.0 %\nboy <.1 %");
  CHECK(lines[1].likeliest[0].token == "man");
}

}  // namespace
}  // namespace headscope::test
