#include <cmath>

#include "app/state/inspect/why_words.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr MapPoint kCell{.query = 2, .key = 1};

// Of two writers on either side: 4 terms of known sizes.
CellSources SomeSources() {
  CellSources sources;
  const Writer token{.kind = WriterKind::kToken};
  const Writer head{.kind = WriterKind::kHead, .layer = {ModelPart::kWhole, 0}, .head = 3};
  sources.queries = {{token, 5.0}, {head, -1.0}};
  sources.keys = {{head, 4.5}, {token, -0.5}};
  sources.terms = {5.5, -0.5, -1.0, 0.0};
  sources.total = 4.0;
  sources.model_dot = 4.0;
  RankTerms(&sources);
  return sources;
}

TEST_CASE("a held cell's sources are asked for once, and go with it", "[state][why]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(PointCell{kCell});
  CHECK(driver.CountRequests<SourcesJob>() == 0);
  driver.Do(ClickCell{kCell});
  REQUIRE(driver.CountRequests<SourcesJob>() == 1);
  const auto& job = *driver.LastRequest<SourcesJob>();
  CHECK(job.cell.query == 2);
  CHECK(job.cell.key == 1);
  CHECK(job.cell.head == driver.state.selection.head.head);
  CHECK(job.cell.layer.layer == driver.state.selection.head.layer);
  const RequestId id = driver.state.why.request;
  driver.Event(id, SourcesReady{std::make_shared<const CellSources>(SomeSources())});
  driver.Event(id, Finished{});
  REQUIRE(driver.state.why.answer != nullptr);
  CHECK(driver.state.why.of == HeldCell(driver.state));
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<SourcesJob>() == 1);
  SECTION("another head") {
    driver.Do(StepHead{.layers = 1, .heads = 0});
    CHECK(driver.CountRequests<SourcesJob>() == 2);
    CHECK(driver.state.why.of != HeldCell(driver.state));
  }
  SECTION("another cell") {
    driver.Do(ClickCell{MapPoint{.query = 2, .key = 0}});
    CHECK(driver.CountRequests<SourcesJob>() == 2);
  }
  SECTION("let go") {
    driver.Do(Escape);
    CHECK(driver.state.why.answer == nullptr);
    CHECK(driver.CountRequests<SourcesJob>() == 1);
  }
  SECTION("head counts are not taken apart") {
    driver.Do(SetScreen{&kCountsScreen});
    CHECK(driver.state.why.answer == nullptr);
  }
}

TEST_CASE("a row, and a cell that the mask hides, have no sources", "[state][why]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickCell{MapPoint{.query = 2}});
  CHECK(driver.state.selection.point_locked);
  const FullMap full = MapInFull(driver.state);
  for (std::int64_t key = 0; key < full.map.keys(); ++key) {
    driver.effects.clear();
    driver.Do(ClickCell{MapPoint{.query = 1, .key = key}});
    CHECK(driver.CountRequests<SourcesJob>() == (full.map.layer->Visible(1, key) ? 1 : 0));
  }
}

TEST_CASE("sources that cannot be found are explained, not asked for again", "[state][why]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(ClickCell{kCell});
  driver.Event(driver.state.why.request, Failed{{ErrorCode::kUnsupported, "no model"}});
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<SourcesJob>() == 1);
  CHECK(driver.state.why.fault == "no model");
  CHECK(driver.state.why.of == HeldCell(driver.state));
}

TEST_CASE("the words of a cell name who adds and who takes away most", "[state][why]") {
  const WhyWords words = WordsOfWhy(SomeSources(), {5, 5});
  CHECK(words.score == "the score, +4.00, by who wrote it");
  REQUIRE(words.keys.size() == 2);
  CHECK(words.keys[0] == WhyLine{.name = "L0H3",
                                 .number = "+4.50",
                                 .length = 0.9F,
                                 .takes_away = false,
                                 .head = HeadIndex{0, 3}});
  CHECK(words.keys[1].name == "token");
  CHECK(words.keys[1].number == "-0.50");
  CHECK(words.keys[1].takes_away);
  CHECK_FALSE(words.keys[1].head.has_value());
  CHECK(words.queries[0].length == 1.0F);
  CHECK(words.more_keys.empty());
  REQUIRE(words.pairs.size() == 4);
  CHECK(words.pairs[0].query.name == "token");
  CHECK(words.pairs[0].key.name == "L0H3");
  CHECK(words.pairs[0].key.head == HeadIndex{0, 3});
  CHECK(words.pairs[0].key.number == "+5.50");
  CHECK(words.pairs[1].query.name == "L0H3");  // by size, whatever the sign
  CHECK(words.pairs[1].key.name == "L0H3");
  CHECK(words.pairs[1].key.number == "-1.00");
  CHECK(words.pairs[1].key.takes_away);
  CHECK(words.pairs[2].query.name == "token");
  CHECK(words.pairs[2].key.name == "token");
  CHECK(words.more_pairs.empty());

  CellSources rounded = SomeSources();
  rounded.model_dot = 3.9;
  CHECK(WordsOfWhy(rounded, {5, 5}).score ==
        "the score, +4.00, by who wrote it; rounding on the way changes -0.10");

  CellSources sources = SomeSources();
  sources.cap_change = -0.25;
  sources.head_bias = 0.5;
  const WhyWords few = WordsOfWhy(sources, {1, 2});
  CHECK(few.score ==
        "the score, +4.25, by who wrote it; its cap changes -0.25; by distance the head adds "
        "+0.50");
  sources.query_content = 1.5;
  sources.key_content = -0.25;
  CHECK(WordsOfWhy(sources, {1, 2}).score ==
        "the score, +5.50, by who wrote it; its cap changes -0.25; by distance the head adds "
        "+0.50; the query's content with the key's position adds +1.50; the key's content with "
        "the query's position adds -0.25");
  CHECK(few.keys.size() == 1);
  CHECK(few.more_keys == "1 more, together -0.50");
  CHECK(few.more_queries == "1 more, together -1.00");
  CHECK(few.pairs.size() == 2);
  CHECK(few.more_pairs == "2 more, together -0.50");
}

TEST_CASE("what takes away most comes before what adds little", "[state][why]") {
  CellSources sources = SomeSources();
  sources.keys = {{sources.keys[0].writer, 0.5}, {sources.keys[1].writer, -4.5}};
  const WhyWords words = WordsOfWhy(sources, {2, 0});
  CHECK(words.keys[0].number == "-4.50");
  CHECK(words.keys[1].number == "+0.50");
  CHECK(words.pairs.empty());
  CHECK(words.more_pairs == "4 more, together +4.00");
}

}  // namespace
}  // namespace headscope::test
