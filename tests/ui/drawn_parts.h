// Where panels drew: the corners of what an ImGui child holds, of all colours or of one.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>

#include <imgui.h>

#include "app/views/kit/ui.h"

namespace headscope::test {

// Of the child whose name has `name` in it, what is seen of it; nothing: it drew nothing.
inline std::optional<Rect> DrawnIn(const ImDrawData& drawn,
                                   std::string_view name,
                                   std::optional<Rgb> color = {}) {
  std::optional<Rect> around;
  for (int i = 0; i < drawn.CmdListsCount; ++i) {
    const ImDrawList& list = *drawn.CmdLists[i];
    if (list._OwnerName == nullptr || std::string_view(list._OwnerName).find(name) == name.npos) {
      continue;
    }
    for (const ImDrawVert& corner : list.VtxBuffer) {
      if (color && corner.col != ToImGui(*color)) {
        continue;
      }
      const Rect point{corner.pos.x, corner.pos.y, 0.0F, 0.0F};
      const Rect now = around.value_or(point);
      const float left = std::min(now.x, point.x);
      const float top = std::min(now.y, point.y);
      around = Rect{left,
                    top,
                    std::max(now.x + now.width, point.x) - left,
                    std::max(now.y + now.height, point.y) - top};
    }
  }
  return around;
}

inline bool IsInside(const Rect& inner, const Rect& outer) {
  constexpr float kEdge = 2.5F;  // lines lie around what they frame
  return inner.x >= outer.x - kEdge && inner.y >= outer.y - kEdge &&
         inner.x + inner.width <= outer.x + outer.width + kEdge &&
         inner.y + inner.height <= outer.y + outer.height + kEdge;
}

}  // namespace headscope::test
