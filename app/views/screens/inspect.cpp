// All heads at a glance, and one in full.
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void DrawInspectIcon(const IconPen& pen) {
  for (int row = 0; row < 3; ++row) {
    for (int col = 0; col < 3; ++col) {
      const auto left = static_cast<float>(col * 6 - 8);
      const auto top = static_cast<float>(row * 6 - 8);
      pen.Fill(left, top, left + 4.5F, top + 4.5F);
    }
  }
}

}  // namespace

extern const Screen kInspectScreen;
const Screen kInspectScreen{.kind = {.id = "inspect",
                                     .name = "Inspect",
                                     .about = "all heads, and one in full",
                                     .keys = "1",
                                     .place = 1,
                                     .subject = ScreenSubject::kHeads,
                                     .shows_roles = true,
                                     .looks_at_tokens = true},
                            .icon = DrawInspectIcon,
                            .toolbar = DrawMapToolbar,
                            .body = DrawGrid,
                            .detail = DrawHeadDetail};

}  // namespace headscope
