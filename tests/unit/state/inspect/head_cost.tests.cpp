#include "app/state/inspect/head_cost.h"

#include "tests/support/catch.h"
#include "tests/support/screens.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kCosting{.id = "inspect", .looks_at_tokens = true};

std::shared_ptr<const HeadCost> SomeCost(HeadIndex head) {
  HeadCost cost{.head = head, .row = 2};
  cost.losses = {.whole = 4.0391, .without = 3.8934};
  cost.raised = {{"captain", 1.004}, {"man", 0.61}, {"sea", 0.5}, {"boy", 0.25}};
  cost.lowered = {{"ship", -0.4}, {"girl", -0.3}};
  return std::make_shared<const HeadCost>(std::move(cost));
}

TEST_CASE("the selected head's cost is asked for, of a head and a row at a time",
          "[state][head cost]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kCosting});
  REQUIRE(driver.CountRequests<HeadCostJob>() == 1);
  CHECK(driver.LastRequest<HeadCostJob>()->head.layer == driver.state.selection.head.layer);
  const auto place = CostPlaceInView(driver.state);
  REQUIRE(place.has_value());
  CHECK(WordsOfCost(driver.state, *place).line == "Without it: …");
  driver.Event(driver.state.head_cost.request, HeadCosts{SomeCost(place->head)});
  const CostWords words = WordsOfCost(driver.state, *place);
  CHECK(words.line.starts_with("Without it: loss 4.039 → 3.893. At “"));
  CHECK(words.line.ends_with(
      "” it raises “captain” +1.00, “man” +0.61, “sea” +0.50; lowers “ship” -0.40."));
  CHECK(words.more.find("“boy” +0.25") != std::string::npos);
  CHECK(words.more.find("“girl” -0.30") != std::string::npos);
  SECTION("a row that is pointed at is not asked for, one that is kept is") {
    driver.Do(PointCell{MapPoint{.query = 1}});
    CHECK(driver.CountRequests<HeadCostJob>() == 1);
    driver.Do(ClickCell{MapPoint{.query = 1}});
    CHECK(driver.LastRequest<HeadCostJob>()->row == 1);
  }
  SECTION("another head is asked for anew, and the words are not the old one's") {
    driver.Do(StepHead{.layers = 0, .heads = 1});
    CHECK(driver.CountRequests<HeadCostJob>() == 2);
    CHECK(WordsOfCost(driver.state, *CostPlaceInView(driver.state)).line == "Without it: …");
  }
  SECTION("heads that are off say what they cost themselves") {
    driver.Do(SwitchHead{driver.state.selection.head});
    CHECK_FALSE(CostPlaceInView(driver.state).has_value());
  }
  SECTION("other screens ask nothing") {
    driver.Do(SetScreen{&kCountsScreen});
    CHECK_FALSE(CostPlaceInView(driver.state).has_value());
  }
}

TEST_CASE("why there is no loss is said", "[state][head cost]") {
  StateDriver driver;
  driver.ShowSomething();
  driver.Do(SetScreen{&kCosting});
  const auto place = CostPlaceInView(driver.state);
  REQUIRE(place.has_value());
  HeadCost cost{.head = place->head, .row = place->row};
  cost.why_no_loss = "a text of one token has no loss";
  driver.Event(driver.state.head_cost.request,
               HeadCosts{std::make_shared<const HeadCost>(std::move(cost))});
  CHECK(WordsOfCost(driver.state, *place).line == "Without it: a text of one token has no loss.");
}

}  // namespace
}  // namespace headscope::test
