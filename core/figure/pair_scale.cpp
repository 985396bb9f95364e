#include "core/figure/pair_scale.h"

#include <algorithm>
#include <cmath>

#include "core/compare/pair_maps.h"

namespace headscope {
namespace {

constexpr float kRoundingOfWeights = 1e-6F;  // those that differ less are alike but for it

}  // namespace

ColorScale ScaleOfPair(const ColorScale& scale,
                       const ComparedPair& pair,
                       std::int64_t layer,
                       std::int64_t a,
                       std::int64_t b) {
  float largest = 0.0F;
  for (const LayerComparison& each : pair.comparison.layers) {
    const auto& of_a = pair.LayerA(each.layer);
    const auto& of_b = pair.LayerB(each.layer);
    if (scale.range == RangeMode::kGlobal) {
      largest = std::max({largest, of_a->largest(), of_b->largest()});
    } else if (each.layer == layer) {
      largest = scale.range == RangeMode::kLayer ? std::max(of_a->largest(), of_b->largest())
                                                 : std::max(of_a->largest(a), of_b->largest(b));
    }
  }
  return MeasuredScale(scale, largest);
}

ColorScale ScaleOfDifference(const ColorScale& scale, float furthest) {
  ColorScale difference{.curve = scale.curve};
  difference.high =
      scale.range == RangeMode::kFixed || furthest <= kRoundingOfWeights ? 1.0F : furthest;
  return difference;
}

float DifferencePosition(const ColorScale& scale, float difference) {
  return difference == kNoDifference
             ? kMasked
             : 0.5F + std::copysign(0.5F * Position(scale, std::abs(difference)), difference);
}

}  // namespace headscope
