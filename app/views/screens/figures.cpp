// Figures for paper. Not yet: its place in the rail.
#include "app/views/screens.h"

namespace headscope {
namespace {

void DrawFiguresIcon(const IconPen& pen) {
  pen.Frame(-8.0F, -8.0F, 8.0F, 8.0F, 2.0F);
  pen.Line(-4.5F, -3.0F, 4.5F, -3.0F);
  pen.Line(-4.5F, 0.5F, 4.5F, 0.5F);
  pen.Line(-4.5F, 4.0F, 1.0F, 4.0F);
}

}  // namespace

extern const Screen kFiguresScreen;
const Screen kFiguresScreen{
    .kind = {.id = "figures",
             .name = "Figures",
             .about = "for paper; not yet. Export (Ctrl+E) saves PNG and PDF",
             .place = 5,
             .is_ready = false},
    .icon = DrawFiguresIcon};

}  // namespace headscope
