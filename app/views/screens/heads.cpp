// Scores of all heads. Not yet: its place in the rail.
#include "app/views/screens.h"

namespace headscope {
namespace {

void Icon(const IconPen& pen) {
  pen.Line(-6.0F, -8.0F, -6.0F, 8.0F);
  pen.Triangle(-6.0F, -8.0F, 7.0F, -4.0F, -6.0F, 0.5F);
}

}  // namespace

extern const Screen kHeadsScreen;
const Screen kHeadsScreen{.kind = {.id = "heads",
                                   .name = "Heads",
                                   .about = "scores of all heads; not yet",
                                   .place = 3,
                                   .is_ready = false},
                          .icon = Icon};

}  // namespace headscope
