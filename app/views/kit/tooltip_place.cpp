#include "app/views/kit/tooltip_place.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace headscope {
namespace {

float CoveredArea(const Rect& place, std::span<const Rect> off) {
  float area = 0.0F;
  for (const Rect& rect : off) {
    const float width =
        std::min(place.x + place.width, rect.x + rect.width) - std::max(place.x, rect.x);
    const float height =
        std::min(place.y + place.height, rect.y + rect.height) - std::max(place.y, rect.y);
    area += std::max(0.0F, width) * std::max(0.0F, height);
  }
  return area;
}

// From the pointer to the nearest point of the place.
float DistanceTo(const Rect& place, float x, float y) {
  return std::hypot(std::max({place.x - x, x - place.x - place.width, 0.0F}),
                    std::max({place.y - y, y - place.y - place.height, 0.0F}));
}

// Beside each of the rectangles, before and after it, and within the window.
std::vector<float> PlacesAlong(
    float pointer, float size, float from, float to, float gap, const std::vector<float>& edges) {
  std::vector<float> places = {pointer + gap, pointer - gap - size};
  for (std::size_t i = 0; i + 1 < edges.size(); i += 2) {
    places.push_back(edges[i + 1] + gap);
    places.push_back(edges[i] - gap - size);
  }
  for (float& place : places) {
    place = std::max(from, std::min(place, to - size));
  }
  return places;
}

}  // namespace

Rect PlaceTooltip(const TooltipWish& wish) {
  std::vector<Rect> off(wish.off.begin(), wish.off.end());
  off.push_back({wish.x - 1.0F, wish.y - 1.0F, 2.0F, 2.0F});
  std::vector<float> across;
  std::vector<float> down;
  for (const Rect& rect : off) {
    across.insert(across.end(), {rect.x, rect.x + rect.width});
    down.insert(down.end(), {rect.y, rect.y + rect.height});
  }
  const Rect& window = wish.window;
  const std::vector<float> xs =
      PlacesAlong(wish.x, wish.width, window.x, window.x + window.width, wish.gap, across);
  const std::vector<float> ys =
      PlacesAlong(wish.y, wish.height, window.y, window.y + window.height, wish.gap, down);
  Rect best{xs.front(), ys.front(), wish.width, wish.height};
  float covered = CoveredArea(best, off);
  float distance = DistanceTo(best, wish.x, wish.y);
  for (const float x : xs) {
    for (const float y : ys) {
      const Rect place{x, y, wish.width, wish.height};
      const float covers = CoveredArea(place, off);
      const float away = DistanceTo(place, wish.x, wish.y);
      if (covers < covered || (covers == covered && away < distance - 0.5F)) {
        best = place;
        covered = covers;
        distance = away;
      }
    }
  }
  return best;
}

}  // namespace headscope
