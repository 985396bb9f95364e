#include "core/figure/sink_column.h"

#include <algorithm>

namespace headscope {
namespace {

float LargestOfRow(const MapView& map, std::int64_t query, std::vector<float>* row) {
  const LayerAttention& layer = *map.layer;
  if (layer.has_scores()) {
    // The largest score's exponential is 1, and its share the inverse of the sum.
    return layer.content()
        .row_inverse_sum[static_cast<std::size_t>(map.head * map.queries() + query)];
  }
  row->resize(static_cast<std::size_t>(map.keys()));
  layer.Row(map.head, query, *row);
  return std::max(0.0F, *std::max_element(row->begin(), row->end()));
}

}  // namespace

SinkColumn SinkColumnOf(const MapView& map, const ColorScale& scale) {
  SinkColumn column{.values = {}, .scale = scale};
  const bool by_row = scale.range == RangeMode::kRow;
  std::vector<float> row;
  for (std::int64_t query = 0; query < map.queries(); ++query) {
    const auto taken = static_cast<float>(map.layer->SinkWeight(map.head, query));
    if (by_row) {
      const float largest = LargestOfRow(map, query, &row);
      column.values.push_back(Position(ScaleOfRow(scale, {&largest, 1}), taken));
    } else {
      column.values.push_back(taken);
    }
  }
  if (by_row) {
    column.scale.curve = Curve::kLinear;
    column.scale.range = RangeMode::kFixed;
    column.scale.low = 0.0F;
    column.scale.high = 1.0F;
  }
  return column;
}

}  // namespace headscope
