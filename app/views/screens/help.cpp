// Keys, mouse, and every word on screen.
#include "app/views/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void DrawHelpIcon(const IconPen& pen) {
  pen.Hook(0.0F, -3.0F, 4.5F, -3.3F, 1.1F, 0.0F, 3.5F);
  pen.Dot(0.0F, 7.5F, 1.3F);
}

}  // namespace

extern const Screen kHelpScreen;
const Screen kHelpScreen{.kind = {.id = "help",
                                  .name = "Help",
                                  .about = "keys, mouse and what the words mean",
                                  .keys = "6?",
                                  .place = 6,
                                  .subject = ScreenSubject::kNothing,
                                  .tells_answers = true},
                         .icon = DrawHelpIcon,
                         .body = DrawHelp,
                         .detail = DrawHeadDetail};

}  // namespace headscope
