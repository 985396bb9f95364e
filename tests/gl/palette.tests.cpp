#include "app/render/palette.h"

#include <cmath>
#include <limits>

#include "tests/support/catch.h"

namespace headscope {
namespace {

int IndexOf(const ColorScale& scale, float weight) {
  return static_cast<int>(std::lround(Position(scale, weight) * 255.0F));
}

TEST_CASE("Each limit is the least weight with its index", "[render][palette]") {
  ColorScale scale;
  scale.curve = GENERATE(Curve::kLinear, Curve::kSqrt, Curve::kLog);
  scale.low = GENERATE(0.0F, 0.1F);
  scale.high = GENERATE(1.0F, 0.37F, 1e-4F, 0.1F, 0.0F);
  CAPTURE(Name(scale.curve), scale.low, scale.high);
  const auto thresholds = Thresholds(scale);
  for (int index = 1; index < kColormapSize; ++index) {
    const float limit = thresholds[static_cast<std::size_t>(index)];
    CAPTURE(index, limit);
    REQUIRE(limit >= thresholds[static_cast<std::size_t>(index - 1)]);
    if (std::isinf(limit)) {
      REQUIRE(IndexOf(scale, std::numeric_limits<float>::max()) < index);
      continue;
    }
    REQUIRE(IndexOf(scale, limit) >= index);
    if (limit > 0.0F) {
      REQUIRE(IndexOf(scale, std::nextafter(limit, 0.0F)) < index);
    }
  }
}

}  // namespace
}  // namespace headscope
