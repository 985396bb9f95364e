#include "app/state/inspect/selection.h"

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

ShownPart PartShown(const MapZoom& zoom, const MapSize& size) {
  const double part = 1.0 / std::max(1.0, zoom.zoom);
  const auto first = [part](double center) { return std::max(0.0, center - part / 2.0); };
  const auto length = [part](double begin, double room) {
    return std::min(1.0 - begin, std::max(1.0, room) * part);
  };
  ShownPart shown{.first_x = first(zoom.center_x), .first_y = first(zoom.center_y)};
  shown.across = length(shown.first_x, size.across);
  shown.down = length(shown.first_y, size.down);
  return shown;
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

MapZoom Panned(MapZoom zoom, double x, double y, double most, const MapSize& size) {
  const auto moved = [&zoom](double center, double by, double room) {
    const double half = 0.5 / zoom.zoom;
    const double last = 1.0 - std::max(1.0, room) / zoom.zoom + half;
    return std::min(center + by / zoom.zoom, std::max(center, last));
  };
  zoom.center_x = moved(zoom.center_x, x, size.across);
  zoom.center_y = moved(zoom.center_y, y, size.down);
  return ClampZoom(zoom, most);
}

}  // namespace headscope
