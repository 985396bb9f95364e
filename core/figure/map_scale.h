// The colours of a map under a range that has to be measured.
//
// Threads  plain function.
// Cost     a look at each layer for a global range.
#pragma once

#include <memory>
#include <span>

#include "core/attention/map_view.h"
#include "core/figure/color_scale.h"

namespace headscope {

using LayerSpan = std::span<const std::shared_ptr<const LayerAttention>>;

// `scale` as its mode measures this map: by the largest weight of its head, of its layer, or of all
// layers (null: one that is not there yet). Head counts are layers too: each count is one.
[[nodiscard]] ColorScale ScaleOfMap(const ColorScale& scale, const MapView& map, LayerSpan all);

}  // namespace headscope
