// How weights become colours in every map of the window.
//
// Threads  plain values.
#pragma once

#include "core/figure/color_scale.h"

namespace headscope {

enum class Pooling { kMean, kMax };

struct MapSettings {
  Curve curve = Curve::kSqrt;
  RangeMode range = RangeMode::kFixed;
  Colormap colormap = Colormap::kViridis;
  Pooling pooling = Pooling::kMean;
  float high = 1.0F;  // of a fixed range: larger weights have its colour
  friend bool operator==(const MapSettings&, const MapSettings&) = default;
};

// As chosen; a range that is measured is not yet.
[[nodiscard]] inline ColorScale ScaleOf(const MapSettings& settings) {
  return {.curve = settings.curve,
          .range = settings.range,
          .high = settings.high,
          .colormap = settings.colormap};
}

}  // namespace headscope
