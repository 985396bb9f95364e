// Inspect's map as the mean of a layer, and as rollout.
#include "app/state/inspect/joined.h"

#include "tests/support/catch.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {
namespace {

constexpr ScreenKind kJoining{.id = "inspect", .looks_at_tokens = true};

void Choose(StateDriver* driver, MapOf map_of) {
  HeadLook look = driver->state.head_look;
  look.map_of = map_of;
  driver->Do(SetHeadLook{look});
}

const JoinJob& AskedJoin(const StateDriver& driver) {
  const auto* const asked = driver.LastRequest<JoinJob>();
  REQUIRE(asked != nullptr);
  return *asked;
}

void AnswerJoin(StateDriver* driver) {
  const JoinJob job = AskedJoin(*driver);
  const RequestId id = driver->state.joined.request;
  driver->Event(id, HeadsJoined{*JoinHeads(job.layers, job.join, {})});
  driver->Event(id, Finished{});
}

TEST_CASE("the mean of a layer takes the head's place when it is there", "[state][joined]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kJoining});
  driver.Do(ShowHead{{1, 2}});
  Choose(&driver, MapOf::kMean);
  CHECK(AskedJoin(driver).layers.size() == 1);
  CHECK_FALSE(MapInFull(driver.state).is_joined);
  CHECK(MapInFull(driver.state).map.head == 2);
  AnswerJoin(&driver);
  CHECK(MapInFull(driver.state).is_joined);
  CHECK(MapInFull(driver.state).map.layer->shape().heads == 1);
  CHECK(JoinedBriefly(driver.state) == "Mean L1");
  // Another head of the layer has the same mean: nothing is asked.
  const auto asked = driver.CountRequests<JoinJob>();
  driver.Do(ShowHead{{1, 0}});
  CHECK(driver.CountRequests<JoinJob>() == asked);
  CHECK(MapInFull(driver.state).is_joined);
  // Another view, and another screen, show the head.
  HeadLook look = driver.state.head_look;
  look.view = HeadView::kLines;
  driver.Do(SetHeadLook{look});
  CHECK_FALSE(MapInFull(driver.state).is_joined);
}

TEST_CASE("rollout takes all layers up to the selected one", "[state][joined]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kJoining});
  driver.Do(ShowHead{{2, 0}});
  Choose(&driver, MapOf::kRollout);
  REQUIRE(AskedJoin(driver).layers.size() == 3);
  CHECK(AskedJoin(driver).layers[2]->layer() == 2);
  AnswerJoin(&driver);
  CHECK(MapInFull(driver.state).is_joined);
  CHECK(JoinedBriefly(driver.state) == "Rollout L2");
  driver.Do(ShowHead{{0, 1}});
  CHECK_FALSE(MapInFull(driver.state).is_joined);  // until its own is there
  AnswerJoin(&driver);
  CHECK(MapInFull(driver.state).is_joined);
  Choose(&driver, MapOf::kHead);
  CHECK_FALSE(MapInFull(driver.state).is_joined);
}

TEST_CASE("what is exported is what the head is seen as", "[state][joined][export]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kJoining});
  const auto kind_for = [&driver](const HeadLook& look) {
    driver.Do(SetHeadLook{look});
    driver.Do(OpenPopup{Popup::kExport});
    const FigureKind* const kind = driver.state.dialogs.exporting.kind;
    driver.Do(ClosePopup);
    return std::pair{kind->of, std::string(kind->view)};
  };
  CHECK(kind_for({}).first == FigureOf::kHead);
  CHECK(kind_for({.view = HeadView::kLines}) == std::pair{FigureOf::kHead, std::string("lines")});
  CHECK(kind_for({.view = HeadView::kText}) == std::pair{FigureOf::kHead, std::string("text")});
  CHECK(kind_for({.map_of = MapOf::kMean}) == std::pair{FigureOf::kLayer, std::string("mean")});
  CHECK(kind_for({.map_of = MapOf::kRollout}) ==
        std::pair{FigureOf::kLayer, std::string("rollout")});
}

}  // namespace
}  // namespace headscope::test
