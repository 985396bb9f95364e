// What is said of, and how far the colours of divergences and differences go.
#include "core/figure/comparison_words.h"

#include <numbers>

#include "core/figure/pair_scale.h"
#include "tests/support/catch.h"

namespace headscope {

TEST_CASE("Colours of a comparison are not stretched over rounding", "[figure]") {
  const ColorScale measured{.range = RangeMode::kGlobal};
  CHECK(DivergenceScale(measured, 0.02).high == 0.02F);
  CHECK(DivergenceScaleWords(measured, 0.02).ends_with("the largest divergence shown."));
  for (const double rounding : {0.0, 3e-9, 9e-7}) {
    CHECK(DivergenceScale(measured, rounding).high == std::numbers::ln2_v<float>);
    CHECK(DivergenceScaleWords(measured, rounding).ends_with("the most that there can be."));
    CHECK(ScaleOfDifference(measured, static_cast<float>(rounding)).high == 1.0F);
  }
  CHECK(ScaleOfDifference(measured, 0.02F).high == 0.02F);
  CHECK(ScaleOfDifference({.range = RangeMode::kFixed}, 0.02F).high == 1.0F);
}

}  // namespace headscope
