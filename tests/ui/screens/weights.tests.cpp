// Weights in Compare with made-up changes: asked for, listed, sought, and what a click leads to.
#include "app/state/compare/weights.h"

#include <algorithm>

#include "app/state/files/export_kind.h"
#include "tests/support/catch.h"
#include "tests/ui/screens/patching_driver.h"

namespace headscope::test {
namespace {

WeightChange Changed(const std::string& name, std::optional<HeadIndex> head, float to) {
  WeightChange change{.name = name, .head = head, .all = {}};
  const std::vector<float> a = {1.0F, 0.0F};
  const std::vector<float> b = {1.0F, to};
  change.all.Add(a, b);
  if (head) {
    for (ChangeSums& matrix : change.matrices) {
      matrix.Add(a, b);
    }
  }
  return change;
}

std::shared_ptr<const WeightChanges> StubChanges() {
  WeightChanges changes{.a = "alpha", .b = "beta", .parts = {}, .notes = {"Nothing is shared."}};
  changes.parts = {Changed("L2 MLP", {}, 0.75F),
                   Changed("L1H3", HeadIndex{1, 3}, 0.5F),
                   Changed("L0H1", HeadIndex{0, 1}, 0.25F)};
  return std::make_shared<const WeightChanges>(std::move(changes));
}

struct WeightsDriver : PatchingDriver {
  using PatchingDriver::PatchingDriver;

  void OpenModels() { Open({.model = "/models/beta"}); }
  [[nodiscard]] RequestId request() const { return state().compare.weights.request; }
  void AnswerWeights() {
    const RequestId id = request();
    app.Event(id, WeightsCompared{StubChanges()});
    app.Event(id, Finished{});
    Frames(3);
  }
};

}  // namespace

TEST_CASE("the segment of the toolbar asks for weights, lists them, and a click shows a head",
          "[ui][weights]") {
  WeightsDriver driver;
  driver.OpenModels();
  const Rect toolbar = driver.region(Panel::kToolbar).rect;
  REQUIRE(
      driver.PressUntil(toolbar, 24.0F, [&] { return driver.state().compare.look.shows_weights; }));
  REQUIRE(driver.request() != 0);
  CHECK(driver.app.LastRequest<WeightsJob>()->folder == "/models/beta");
  CHECK(driver.Tells("Reading the weights"));
  driver.Frames(60);
  CHECK(driver.Tells("each head's weights changed from A to B"));  // the tooltip
  driver.AnswerWeights();
  CHECK(driver.Says("What changed from A to B"));
  CHECK(driver.Tells("Nothing is shared."));
  CHECK(driver.Says("L2 MLP"));
  CHECK(driver.Says("0.7500"));
  CHECK(driver.Says("W_O"));
  CHECK(KindOfScreen(driver.state())->view == kWeightsView);
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  REQUIRE(driver.ClickDown(
      middle.x + 40.0F, 8.0F, [&] { return !driver.state().compare.look.shows_weights; }));
  CHECK(driver.state().selection.head == HeadIndex{1, 3});  // the first head; an MLP leads nowhere
  CHECK(driver.state().selection.head_locked);
  driver.AnswerMaps();
  CHECK(driver.Says("Differ most"));
}

TEST_CASE("what is typed leaves the heads and parts of that name", "[ui][weights]") {
  WeightsDriver driver;
  driver.OpenModels();
  driver.app.Do(ShowWeights{});
  driver.Frames(3);
  driver.AnswerWeights();
  const Rect& middle = driver.region(Panel::kMiddle).rect;
  driver.Click(middle.x + middle.width - 120.0F, middle.y + 26.0F);
  driver.Type("mlp");
  driver.Frames(3);
  CHECK(driver.state().compare.weights_sought == "mlp");
  CHECK(driver.Says("L2 MLP"));
  CHECK_FALSE(driver.Says("L0H1"));
  CHECK(SoughtWeights(*StubChanges(), "1.3") == std::vector<std::size_t>{1});
  CHECK(SoughtWeights(*StubChanges(), "") == std::vector<std::size_t>{0, 1, 2});
  driver.Type("x");
  driver.Frames(3);
  CHECK(driver.Tells("No head or part has such a name."));
}

TEST_CASE("stopped, weights wait for a button; patching and one model take their place",
          "[ui][weights]") {
  WeightsDriver driver;
  driver.OpenModels();
  driver.app.Do(ShowWeights{});
  driver.Frames(3);
  const RequestId first = driver.request();
  driver.app.Event(first, Failed{{ErrorCode::kCancelled, "stopped"}});
  driver.Frames(3);
  CHECK(driver.request() == 0);
  CHECK(driver.Tells("stopped before it was done."));
  driver.app.Do(CompareWeightsAgain);
  driver.Frames(3);
  REQUIRE(driver.request() != 0);
  driver.app.Event(driver.request(), Failed{{ErrorCode::kInput, "gamma has other shapes"}});
  driver.Frames(3);
  CHECK(driver.Tells("No comparison of weights: gamma has other shapes."));
  driver.Patch();
  CHECK_FALSE(driver.state().compare.look.shows_weights);
  WeightsDriver texts;
  texts.OpenTexts();
  texts.app.Do(ShowWeights{});
  texts.Frames(3);
  CHECK(texts.request() == 0);
  CHECK(texts.Tells("Both sides have the same model's weights"));
}

}  // namespace headscope::test
