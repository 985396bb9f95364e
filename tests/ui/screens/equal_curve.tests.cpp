// The slider of the input's scale on Counts, where every weight is 1.
#include "app/views/screens.h"
#include "tests/support/catch.h"
#include "tests/support/cut_layer.h"
#include "tests/ui/screens/tree_driver.h"

namespace headscope::test {
namespace {

TEST_CASE("a slider moves the input's scale along the curves of equal weights", "[ui][counts]") {
  TreeDriver driver(1600.0F, 2600.0F);
  driver.app.ShowSomething(6);
  driver.app.Do(SetScreen{&ScreenNamed("counts").kind});
  SplitResult equal = CutDistinct(6, {.head_counts = {1, 2, 4}, .weights = SplitWeights::kOnes});
  equal.curves.rows = 6;
  for (const double scale : {0.001, 0.01, 0.1, 1.0}) {
    equal.curves.scales.push_back(
        {.input_scale = scale,
         .largest_weight = 0.5 + scale / 4.0,
         .counts = {
             {.heads = 1, .mean = scale / 2.0, .spread = 0.01}, {.heads = 2}, {.heads = 4}}});
  }
  driver.app.Event(driver.state().counts.request,
                   SplitReady{std::make_shared<const SplitResult>(std::move(equal))});
  driver.app.Event(driver.state().counts.request, Finished{});
  driver.AnswerLineage();
  driver.Frames(3);
  CHECK(driver.Says("Equal weights: how far h moves the output"));
  CHECK(driver.Tells("The input times 0.01"));
  CHECK(driver.Tells("a layer norm's output sums to 0"));
  // Somewhere down the panel the slider's right end is the largest scale, its left end the least.
  const Rect& detail = driver.layout().detail;
  const auto press_at = [&](float x, double wanted) {
    for (float y = detail.y; y < detail.y + detail.height; y += 8.0F) {
      driver.Click(x, y);
      if (driver.state().tree.curve_scale == wanted) {
        return true;
      }
    }
    return false;
  };
  CHECK(press_at(detail.x + detail.width - 24.0F, 1.0));
  driver.Frames(2);
  CHECK(driver.Tells("The input times 1:"));
  CHECK(press_at(detail.x + 24.0F, 0.001));
}

}  // namespace
}  // namespace headscope::test
