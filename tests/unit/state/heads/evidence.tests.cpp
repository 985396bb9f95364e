// Evidence for roles on a head's page: when it is asked for, and its words.
#include "app/state/heads/evidence_words.h"
#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

std::shared_ptr<const FoundEvidence> SomeEvidence() {
  FoundEvidence found{.evidence = {}, .input = "names.tsv", .pairs = 47, .of = 48};
  found.evidence.all = {{.kind = EvidenceKind::kMovesNames,
                         .head = {1, 2},
                         .score = 0.412,
                         .control = 0.01,
                         .error = 0.031,
                         .cases = 47},
                        {.kind = EvidenceKind::kSuppressesCopy,
                         .head = {1, 2},
                         .score = -0.25,
                         .control = 0.0,
                         .error = 0.02,
                         .cases = 47}};
  found.evidence.receivers = {{1, 2}};
  return std::make_shared<const FoundEvidence>(std::move(found));
}

TEST_CASE("evidence is asked for once, by a person, of the open model", "[state][evidence]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  CHECK(driver.CountRequests<EvidenceJob>() == 0);
  CHECK(WhyNoEvidence(driver.state).empty());
  driver.Do(FindEvidence);
  REQUIRE(driver.CountRequests<EvidenceJob>() == 1);
  CHECK(driver.LastRequest<EvidenceJob>()->pairs.filename() == "names.tsv");
  CHECK(EvidenceInView(driver.state) == nullptr);
  driver.Event(driver.state.evidence.request, EvidenceFound{SomeEvidence()});
  driver.Event(driver.state.evidence.request, Finished{});
  REQUIRE(EvidenceInView(driver.state) != nullptr);
  driver.Do(FindEvidence);
  CHECK(driver.CountRequests<EvidenceJob>() == 1);
}

TEST_CASE("what a person stopped is not asked again by itself", "[state][evidence]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  driver.Do(FindEvidence);
  driver.Event(driver.state.evidence.request, Failed{{ErrorCode::kCancelled, "stopped"}});
  driver.Do(SetTheme{Theme::kLight});
  CHECK(driver.CountRequests<EvidenceJob>() == 1);
  driver.Do(FindEvidence);
  CHECK(driver.CountRequests<EvidenceJob>() == 2);
}

TEST_CASE("each number stands with its control, chance, error and cases", "[state][evidence]") {
  const auto found = SomeEvidence();
  const std::vector<EvidenceLine> lines = LinesOfEvidence(*found, {1, 2});
  REQUIRE(lines.size() == kEvidenceKinds);
  CHECK(lines[0].name == "moves names");
  CHECK(lines[0].number == "+0.412 ±0.031");
  CHECK(lines[0].beside == "control +0.010, chance 0, 47 pairs");
  CHECK(lines[0].is_clear);
  CHECK(lines[1].number == "-0.250 ±0.020");
  CHECK_FALSE(lines[1].is_clear);
  CHECK(lines[2].number == "–");
  CHECK(lines[2].beside == "not before the heads that move names");
  FoundEvidence more = *found;
  more.evidence.why_not[EvidenceKind::kCarriesTask] = "no table has enough words";
  more.evidence.all.push_back({.kind = EvidenceKind::kSaysSuccessor,
                               .head = {1, 2},
                               .score = 0.5,
                               .control = 0.125,
                               .error = 0.25,
                               .cases = 24});
  const std::vector<EvidenceLine> all = LinesOfEvidence(more, {1, 2});
  CHECK(all[3].name == "says the successor");
  CHECK(all[3].number == "+0.500 ±0.250");
  CHECK(all[3].beside == "control +0.125, chance 0, 24 prompts");
  CHECK_FALSE(all[3].is_clear);
  CHECK(all[4].number == "–");
  CHECK(all[4].beside == "no table has enough words");
  CHECK(EvidenceSource(*found) ==
        "on 47 of the 48 pairs of names.tsv; those that move names most: L1H2");
  // A head that was not measured has no number at all.
  CHECK(LinesOfEvidence(*found, {0, 0})[0].number == "–");
}

TEST_CASE("models that say no next word have none", "[state][evidence]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kScoresScreen});
  driver.state.precision = Precision::kBf16;
  CHECK_THAT(WhyNoEvidence(driver.state), Says("bfloat16"));
  driver.Do(FindEvidence);
  CHECK(driver.CountRequests<EvidenceJob>() == 0);
}

}  // namespace
}  // namespace headscope::test
