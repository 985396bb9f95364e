// Two of anything side by side. Not yet: its place in the rail.
#include "app/views/screens.h"

namespace headscope {
namespace {

void Icon(const IconPen& pen) {
  pen.Line(-8.0F, -3.5F, 7.0F, -3.5F);
  pen.Line(3.5F, -7.0F, 7.5F, -3.5F);
  pen.Line(8.0F, 3.5F, -7.0F, 3.5F);
  pen.Line(-3.5F, 7.0F, -7.5F, 3.5F);
}

}  // namespace

extern const Screen kCompareScreen;
const Screen kCompareScreen{.kind = {.id = "compare",
                                     .name = "Compare",
                                     .about = "two texts or two models side by side; not yet",
                                     .place = 4,
                                     .is_ready = false},
                            .icon = Icon};

}  // namespace headscope
