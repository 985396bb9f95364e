#include "app/views/kit/layout.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

constexpr float kTop = 56.0F;
constexpr float kTargetRow = 44.0F;
constexpr float kRail = 64.0F;
constexpr float kStatus = 30.0F;
constexpr float kNarrow = 1200.0F;
constexpr float kSheet = 560.0F;
constexpr float kLeastHeight = 560.0F;
constexpr float kLeastMiddle = 360.0F;
constexpr float kLeastBesideSheet = 320.0F;

}  // namespace

WindowLayout LayOut(const LayoutRequest& request) {
  const auto px = [&request](float unscaled) { return std::round(unscaled * request.scale); };
  WindowLayout layout;
  layout.window = {0.0F, 0.0F, request.width, request.height};
  layout.narrow = request.width < px(kNarrow);
  layout.target_below = layout.narrow && request.has_target;
  const float rows = px(kTop) + (layout.target_below ? px(kTargetRow) : 0.0F);
  const float top = std::min(rows, request.height);
  const float status = request.presents ? 0.0F : std::min(px(kStatus), request.height - top);
  const float rail = request.presents ? 0.0F : std::min(px(kRail), request.width);
  const float body = request.height - top - status;
  const float wide = request.width - rail;
  layout.top = {0.0F, 0.0F, request.width, top};
  layout.status = {0.0F, request.height - status, request.width, status};
  layout.rail = {0.0F, top, rail, body};
  float detail = px(request.detail_width);
  if (layout.narrow) {
    detail = request.sheet_open ? std::min(px(kSheet), wide) : 0.0F;
    if (detail > 0.0F && wide - detail < px(kLeastBesideSheet)) {
      detail = wide;  // what is left would be of no use
    }
  } else {
    detail = std::clamp(detail, 0.0F, std::max(0.0F, wide - px(kLeastMiddle)));
  }
  layout.detail = {request.width - detail, top, detail, body};
  layout.middle_visible = {rail, top, wide - detail, body};
  layout.middle = layout.middle_visible;
  if (layout.narrow) {
    layout.middle.width = wide;
  }
  return layout;
}

// The sheet stands whole beside the rail, which names every screen, and what stands below the
// longest toolbar, that of Heads, still has some lines.
Rect LeastWindow(float scale) {
  return {0.0F, 0.0F, std::ceil((kRail + kSheet) * scale), std::ceil(kLeastHeight * scale)};
}

bool Contains(const Rect& rect, float x, float y) {
  return x >= rect.x && y >= rect.y && x < rect.x + rect.width && y < rect.y + rect.height;
}

Rect Intersection(const Rect& a, const Rect& b) {
  const float left = std::max(a.x, b.x);
  const float top = std::max(a.y, b.y);
  return {left,
          top,
          std::max(0.0F, std::min(a.x + a.width, b.x + b.width) - left),
          std::max(0.0F, std::min(a.y + a.height, b.y + b.height) - top)};
}

Rect Inset(const Rect& rect, float by_x, float by_y) {
  return {rect.x + by_x,
          rect.y + by_y,
          std::max(0.0F, rect.width - 2.0F * by_x),
          std::max(0.0F, rect.height - 2.0F * by_y)};
}

}  // namespace headscope
