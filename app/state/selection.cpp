#include "app/state/selection.h"

#include <algorithm>

namespace headscope {

std::optional<MapPoint> Within(const std::optional<MapPoint>& point,
                               std::int64_t queries,
                               std::int64_t keys) {
  const auto is_in = [](std::int64_t index, std::int64_t count) {
    return index >= 0 && index < count;
  };
  return point && is_in(point->query, queries) && is_in(point->key.value_or(0), keys)
             ? point
             : std::nullopt;
}

MapZoom ClampZoom(MapZoom zoom, double most) {
  zoom.zoom = std::clamp(zoom.zoom, 1.0, std::max(1.0, most));
  const double half = 0.5 / zoom.zoom;
  zoom.center_x = std::clamp(zoom.center_x, half, 1.0 - half);
  zoom.center_y = std::clamp(zoom.center_y, half, 1.0 - half);
  return zoom;
}

MapZoom ZoomAbout(MapZoom zoom, double factor, double x, double y, double most) {
  const double point_x = zoom.center_x + (x - 0.5) / zoom.zoom;
  const double point_y = zoom.center_y + (y - 0.5) / zoom.zoom;
  zoom.zoom = std::clamp(zoom.zoom * factor, 1.0, std::max(1.0, most));
  zoom.center_x = point_x - (x - 0.5) / zoom.zoom;
  zoom.center_y = point_y - (y - 0.5) / zoom.zoom;
  return ClampZoom(zoom, most);
}

}  // namespace headscope
