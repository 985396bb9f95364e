#include "core/figure/stroke.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace headscope {

float DistanceTo(const Stroke& stroke, float x, float y) {
  const int pieces = stroke.rise == 0.0F ? 1 : 24;
  float nearest = std::numeric_limits<float>::infinity();
  StrokePoint from = PointOf(stroke, 0.0F);
  for (int piece = 1; piece <= pieces; ++piece) {
    const StrokePoint to = PointOf(stroke, static_cast<float>(piece) / static_cast<float>(pieces));
    const float dx = to.x - from.x;
    const float dy = to.y - from.y;
    const float length = dx * dx + dy * dy;
    const float along =
        length > 0.0F ? std::clamp(((x - from.x) * dx + (y - from.y) * dy) / length, 0.0F, 1.0F)
                      : 0.0F;
    nearest = std::min(nearest, std::hypot(x - from.x - along * dx, y - from.y - along * dy));
    from = to;
  }
  return nearest;
}

}  // namespace headscope
