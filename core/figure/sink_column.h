// What a head's sink takes of each row: a column beside the head's map, in the map's colours.
//
// Shapes   values [queries].
// Threads  any; the layer is immutable.
// Cost     one exponential a row; where each row has a range of its own and the weights are from a
//          file, every row is read.
#pragma once

#include <vector>

#include "core/attention/map_view.h"
#include "core/figure/color_scale.h"

namespace headscope {

struct SinkColumn {
  std::vector<float> values;
  ColorScale scale;  // to draw them in
};

// The map must have sinks. Where each row has a range of its own, values are positions along the
// colours, clipped at the row's largest weight.
[[nodiscard]] SinkColumn SinkColumnOf(const MapView& map, const ColorScale& scale);

}  // namespace headscope
