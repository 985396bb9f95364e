// The colour scale of a map whose range has to be measured.
//
// Cost     visits each layer for a global range.
#pragma once

#include <memory>
#include <span>

#include "core/attention/map_view.h"
#include "core/figure/color_scale.h"

namespace headscope {

using LayerSpan = std::span<const std::shared_ptr<const LayerAttention>>;

// Returns `scale` with the range of its mode: up to the largest weight of the map's head, of its
// layer, or of all layers (null: not there yet). Head counts are layers too, one each.
[[nodiscard]] ColorScale ScaleOfMap(const ColorScale& scale, const MapView& map, LayerSpan all);

}  // namespace headscope
