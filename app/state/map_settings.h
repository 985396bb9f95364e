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
  friend bool operator==(const MapSettings&, const MapSettings&) = default;
};

}  // namespace headscope
