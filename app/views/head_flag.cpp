#include "app/views/head_flag.h"

#include "app/state/queries.h"
#include "app/views/detail_header.h"
#include "app/views/widgets.h"

namespace headscope {

float DrawFlagLine(Ui* ui, float x, float y, float width) {
  const ThemeColors& colors = ui->colors();
  const HeadFlag* flag = FindFlag(FlagsInView(ui->state), ui->state.selection.head);
  const float height = PillHeight(*ui);
  if (flag == nullptr) {
    DrawTextIn(*ui,
               {x, y, width, height},
               "no flag yet: F says what this head does",
               Type::kSmall,
               colors.dim,
               width);
    return height;
  }
  const float pill = Pill(*ui, x, y, ColorFromHex(flag->colour), RoleLabel(flag->role));
  if (Area(ui, "flag pill", {x, y, pill, height}, "Change or remove this flag (F)").clicked) {
    ui->memory->popup_anchor = {x, y, pill, height};
    ui->Do(OpenPopup{Popup::kFlag});
  }
  if (flag->note.empty()) {
    return height;
  }
  constexpr int kMostLines = 3;
  const float top = y + height + ui->Px(6.0F);
  const float tall =
      DrawParagraph(*ui, x, top, width, flag->note, Type::kSmall, colors.muted, kMostLines);
  if (ParagraphHeight(*ui, flag->note, width, Type::kSmall, kMostLines + 1) > tall) {
    Area(ui, "flag note", {x, top, width, tall}, flag->note);
  }
  return height + ui->Px(6.0F) + tall;
}

}  // namespace headscope
