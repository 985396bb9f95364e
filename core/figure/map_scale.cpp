#include "core/figure/map_scale.h"

#include <algorithm>

namespace headscope {

ColorScale ScaleOfMap(const ColorScale& scale, const MapView& map, LayerSpan all) {
  float largest = 0.0F;
  switch (scale.range) {
    case RangeMode::kFixed:
    case RangeMode::kRow:
      break;
    case RangeMode::kHead:
      largest = map.layer != nullptr ? map.largest() : 0.0F;
      break;
    case RangeMode::kLayer:
      largest = map.layer != nullptr ? map.layer->largest() : 0.0F;
      break;
    case RangeMode::kGlobal:
      for (const auto& layer : all) {
        largest = std::max(largest, layer != nullptr ? layer->largest() : 0.0F);
      }
      break;
  }
  return MeasuredScale(scale, largest);
}

}  // namespace headscope
