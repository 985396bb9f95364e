// Figures for paper: what was kept on the other screens.
#include "app/views/figures/panels.h"
#include "app/views/screens.h"

namespace headscope {
namespace {

void DrawFiguresIcon(const IconPen& pen) {
  pen.Frame(-8.0F, -8.0F, 8.0F, 8.0F, 2.0F);
  pen.Line(-4.5F, -3.0F, 4.5F, -3.0F);
  pen.Line(-4.5F, 0.5F, 4.5F, 0.5F);
  pen.Line(-4.5F, 4.0F, 1.0F, 4.0F);
}

HelpChapter HelpOnFigures() {
  return {
      "Figures: pictures kept for a paper or a slide",
      {
          {"kept figure",
           "A picture as it was when it was kept, with the numbers it is drawn from: another text, "
           "model or range does not change it. It stays until the window closes; a session holds how "
           "it was made, and Make again takes it anew from there."},
          {"look of figures",
           "Size, background, labels, colour bar and caption are the same for all of them, so that "
           "they go together. What you see is drawn by what writes the files."},
      }};
}

}  // namespace

extern const Screen kFiguresScreen;
const Screen kFiguresScreen{.kind = {.id = "figures",
                                     .name = "Figures",
                                     .about = "pictures kept for paper or slides, in one look",
                                     .keys = "5",
                                     .place = 5,
                                     .subject = ScreenSubject::kNothing,
                                     .shows_figures = true},
                            .icon = DrawFiguresIcon,
                            .toolbar = DrawFiguresToolbar,
                            .body = DrawFigures,
                            .detail = DrawFigureDetail,
                            .take_key = TakeFigureKey,
                            .words = HelpOnFigures};

}  // namespace headscope
