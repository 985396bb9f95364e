// Inspect's map as the mean of a layer, and as rollout.
#include "app/state/inspect/joined.h"

#include "core/attention/given_layer.h"
#include "core/attention/thumbnail_builder.h"
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

WeighedHead Weighed(const WeighJob& job, const LayerAttention& layer) {
  LayerAttention::Content content;
  content.layer = layer.layer();
  content.shape = {
      .queries = layer.shape().queries, .keys = layer.shape().keys, .heads = 1, .kv_heads = 1};
  content.rule.causal = true;
  content.given = HeldWeights(std::make_shared<const std::vector<float>>(static_cast<std::size_t>(
                                  layer.shape().queries * layer.shape().keys)),
                              content.shape);
  auto made = MakeGivenLayer(std::move(content), kThumbnailSize, {});
  REQUIRE(made);
  return {.layer = *made, .of = job.head, .by = job.by, .longest = 2.0};
}

TEST_CASE("a head's weights times its values take its place, and another's are asked for",
          "[state][joined]") {
  StateDriver driver;
  driver.ShowSomething(6);
  driver.Do(SetScreen{&kJoining});
  driver.Do(ShowHead{{1, 2}});
  Choose(&driver, MapOf::kValues);
  const auto answer = [&driver] {
    const auto* const asked = driver.LastRequest<WeighJob>();
    REQUIRE(asked != nullptr);
    const RequestId id = driver.state.weighed.request;
    driver.Event(id,
                 HeadWeighed{std::make_shared<const WeighedHead>(
                     Weighed(*asked, *SelectedLayer(driver.state).layer))});
    driver.Event(id, Finished{});
    return *asked;
  };
  CHECK_FALSE(MapInFull(driver.state).is_joined);  // the head as it is, until it is there
  CHECK(answer().head == HeadIndex{1, 2});
  CHECK(MapInFull(driver.state).is_joined);
  CHECK(WeighedInView(driver.state)->longest == 2.0);
  CHECK(JoinedBriefly(driver.state) == "L1H2 × values");
  driver.Do(ShowHead{{1, 0}});
  CHECK_FALSE(MapInFull(driver.state).is_joined);
  CHECK(answer().head == HeadIndex{1, 0});
  Choose(&driver, MapOf::kOutputs);
  CHECK(answer().by == WeighedBy::kOutputs);
  driver.Do(OpenPopup{Popup::kExport});
  CHECK(driver.state.dialogs.exporting.kind->view == "outputs");
  driver.Do(ClosePopup);
  // Values are of single tokens, of the whole model.
  driver.Do(SetTokenLook{{.hides_first = true}});
  CHECK_FALSE(WhyNoMapOf(driver.state).empty());
  CHECK(WeighedInView(driver.state) == nullptr);
  driver.Do(SetTokenLook{});
  CHECK(WhyNoMapOf(driver.state).empty());
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
