// Edges of attention cut in Inspect: what is asked, what is said, and the way back.
#include "app/state/inspect/cut_edges.h"

#include "app/state/inspect/head_control.h"
#include "app/state/inspect/heads_off.h"
#include "tests/support/attention_fixture.h"
#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kCutting{.id = "inspect", .looks_at_tokens = true};

// The cell of L0H1 from token 3 to token 1 is held.
void HoldCell(StateDriver* driver) {
  driver->ShowSomething(6);
  driver->Do(SetScreen{&kCutting});
  driver->Do(ShowHead{{0, 1}});
  driver->Do(ClickCell{MapPoint{.query = 3, .key = 1}});
  driver->effects.clear();
}

TEST_CASE("the held cell's edge is cut, and joined again by the same", "[state][edges]") {
  StateDriver driver;
  HoldCell(&driver);
  const auto edge = EdgeInView(driver.state, CutRows::kOne);
  REQUIRE(edge == CutEdge{{0, 1}, 1, 3});
  CHECK(EdgeInView(driver.state, CutRows::kAll) == CutEdge{{0, 1}, 1, {}});
  driver.Do(SwitchEdge{*edge});
  REQUIRE(driver.CountRequests<HeadsOffJob>() == 1);
  CHECK(driver.LastRequest<HeadsOffJob>()->off.edges == std::vector<CutEdge>{*edge});
  CHECK(driver.LastRequest<HeadsOffJob>()->off.heads.empty());
  CHECK(IsCut(driver.state, *edge));
  CHECK(CutsInView(driver.state, {0, 1}) == std::vector<CutEdge>{*edge});
  CHECK(CutsInView(driver.state, {0, 2}).empty());
  CHECK(HeadsOffTitle(driver.state) ==
        "1 edge off: L0H1 w3 (3) → w1 (1) cut (the rest of the row stays)");
  CHECK(HeadsOffNote(driver.state) ==
        "With L0H1 w3 (3) → w1 (1) cut (the rest of the row stays): layers after the first of them "
        "are computed so. Weights that are cut count as 0; the map of their own head shows what "
        "they were.");
  CHECK(AwaitsLayerWithout(driver.state, {ModelPart::kWhole, 1}));
  CHECK_FALSE(AwaitsLayerWithout(driver.state, {ModelPart::kWhole, 0}));
  // Heads say nothing of their own while edges are cut.
  CHECK(ControlInView(driver.state)->off.edges.size() == 1);
  driver.Do(SwitchEdge{*edge});
  CHECK_FALSE(IsCut(driver.state, *edge));
  CHECK(HeadsOffInView(driver.state) == nullptr);
}

TEST_CASE("rows are renormalised or not, and heads may be off beside edges", "[state][edges]") {
  StateDriver driver;
  HoldCell(&driver);
  driver.Do(SwitchEdge{*EdgeInView(driver.state, CutRows::kAll)});
  driver.Do(RenormaliseCuts{true});
  CHECK(driver.LastRequest<HeadsOffJob>()->off.renormalises);
  CHECK(HeadsOffTitle(driver.state) ==
        "1 edge off: L0H1 all rows → w1 (1) cut (the rest of the row adds up to 1 again)");
  driver.Do(SwitchHead{{1, 2}});
  CHECK(HeadsOffTitle(driver.state) ==
        "1 head and 1 edge off: L1H2 (zero); L0H1 all rows → w1 (1) cut (the rest of the row adds "
        "up to 1 again)");
  CHECK(driver.LastRequest<HeadsOffJob>()->off.heads == std::vector<HeadIndex>{{1, 2}});
  driver.Do(PutHeadsBack);
  CHECK(driver.state.heads_off.chosen.IsEmpty());
  // A step back brings both again.
  driver.Do(StepView{true});
  CHECK(driver.state.heads_off.chosen.edges.size() == 1);
  CHECK(driver.state.heads_off.chosen.heads.size() == 1);
}

TEST_CASE("edges are of one text: another one is whole", "[state][edges]") {
  StateDriver driver;
  HoldCell(&driver);
  driver.Do(SwitchEdge{*EdgeInView(driver.state, CutRows::kOne)});
  driver.Do(SwitchHead{{0, 2}});
  driver.Do(EditText{"d e f g"});
  driver.Answer(5);
  CHECK(driver.state.heads_off.chosen.edges.empty());
  CHECK(driver.state.heads_off.chosen.heads.size() == 1);
  CHECK(driver.LastRequest<HeadsOffJob>()->off.edges.empty());
  // Nor does a step back bring an edge of the old text.
  driver.Do(StepView{true});
  CHECK(driver.state.heads_off.chosen.edges.empty());
}

TEST_CASE("what is no edge is not cut", "[state][edges]") {
  StateDriver driver;
  HoldCell(&driver);
  SECTION("a row alone") {
    driver.Do(ClickCell{MapPoint{.query = 3}});
    CHECK_FALSE(EdgeInView(driver.state, CutRows::kOne).has_value());
  }
  SECTION("merged or hidden tokens") {
    TokenLook look;
    look.hides_first = true;
    driver.Do(SetTokenLook{look});
    CHECK_FALSE(EdgeInView(driver.state, CutRows::kOne).has_value());
  }
  SECTION("bfloat16") {
    driver.state.precision = Precision::kBf16;
    CHECK_FALSE(EdgeInView(driver.state, CutRows::kOne).has_value());
    driver.Do(SwitchEdge{{{0, 1}, 1, 3}});
    CHECK(driver.state.heads_off.chosen.edges.empty());
  }
}

std::shared_ptr<const HeadControl> SomeControl() {
  HeadControl control;
  control.cost = RandomCost{.own = 1.65, .others = {0.01, 0.03, 0.02}};
  return std::make_shared<const HeadControl>(std::move(control));
}

TEST_CASE("small models measure other heads by themselves, of what is off or selected",
          "[state][control]") {
  StateDriver driver;
  HoldCell(&driver);
  REQUIRE(ControlInView(driver.state).has_value());
  CHECK(ControlInView(driver.state)->off == HeadsOff{{{0, 1}}});
  CHECK(ControlWords(driver.state).empty());
  driver.Event(driver.state.head_control.request, HeadControls{SomeControl()});
  CHECK(ControlWords(driver.state) == "others of the layer, 3 draws: +0.020 ± 0.010");
  driver.Do(SwitchHead{{1, 2}});
  CHECK(driver.LastRequest<HeadControlJob>()->off == HeadsOff{{{1, 2}}});
  CHECK(ControlWords(driver.state).empty());
  HeadControl none;
  none.why_not = "L1 has 0 other heads, fewer than the 1 that are off in it";
  driver.Event(driver.state.head_control.request,
               HeadControls{std::make_shared<const HeadControl>(none)});
  CHECK(ControlWords(driver.state) == "no control: " + none.why_not);
}

TEST_CASE("a larger model's other heads are measured on request", "[state][control]") {
  StateDriver driver;
  driver.ShowSomething(6);
  auto large = std::make_shared<ModelInfo>(*driver.state.model);
  large->description.model_dim = 4096;
  driver.state.model = large;
  driver.state.shown.model = large;
  driver.Do(SetScreen{&kCutting});
  driver.Do(SwitchHead{{0, 1}});
  CHECK(driver.CountRequests<HeadControlJob>() == 0);
  CHECK(IsControlOnRequest(driver.state));
  driver.Do(AskControl);
  REQUIRE(driver.CountRequests<HeadControlJob>() == 1);
  CHECK(ControlWords(driver.state) == "measuring other heads…");
  driver.Event(driver.state.head_control.request, HeadControls{SomeControl()});
  driver.Event(driver.state.head_control.request, Finished{});
  CHECK(ControlWords(driver.state) == "others of the layer, 3 draws: +0.020 ± 0.010");
  driver.Do(SwitchHead{{0, 2}});
  CHECK(driver.CountRequests<HeadControlJob>() == 1);
}

}  // namespace
}  // namespace headscope::test
