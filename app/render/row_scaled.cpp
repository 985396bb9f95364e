#include "app/render/row_scaled.h"

#include <span>
#include <vector>

#include "core/figure/color_scale.h"

namespace headscope {

void RowScaledMaps::Apply(MapPlacement* placement, MapStore& maps) {
  const MapStore::Map* const map = maps.Find(placement->map);
  if (placement->scale.range != RangeMode::kRow || map == nullptr) {
    return;
  }
  Redone& redone = redone_[placement->map];
  if (redone.map == 0 || redone.curve != placement->scale.curve) {
    maps.Remove(redone.map);
    std::vector<float> values = maps.Read(*map);
    const auto cols = static_cast<std::size_t>(map->cols);
    for (std::size_t start = 0; start < values.size(); start += cols) {
      const std::span<float> row = std::span(values).subspan(start, cols);
      const ColorScale own = ScaleOfRow(placement->scale, row);
      for (float& value : row) {
        value = value >= 0.0F ? Position(own, value) : value;
      }
    }
    redone = {placement->scale.curve, maps.Add(map->rows, map->cols, values)};
  }
  placement->map = redone.map;
  placement->scale.curve = Curve::kLinear;
  placement->scale.range = RangeMode::kFixed;
  placement->scale.low = 0.0F;
  placement->scale.high = 1.0F;
}

void RowScaledMaps::Forget(MapHandle map, MapStore& maps) {
  const auto found = redone_.find(map);
  if (found != redone_.end()) {
    maps.Remove(found->second.map);
    redone_.erase(found);
  }
}

}  // namespace headscope
