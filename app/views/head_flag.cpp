#include "app/views/head_flag.h"

#include <string>

#include <fmt/format.h>

#include "app/state/head_scores.h"
#include "app/state/queries.h"
#include "app/views/detail_header.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

std::string NoFlagWords(const Ui& ui) {
  const HeadSuggestions suggestions = SuggestionsInView(ui.state);
  const auto& found = suggestions.Of(ui.state.selection.head);
  const bool is_here = ui.state.screen->wants_scores;  // it stands below
  return found.empty() || is_here ? "no flag yet: F says what this head does"
                                  : fmt::format("no flag yet; suggested: {} (3 shows why, F flags)",
                                                RoleLabel(found.front()->role));
}

}  // namespace

float DrawFlagLine(Ui* ui, float x, float y, float width) {
  const ThemeColors& colors = ui->colors();
  const HeadFlag* flag = FindFlag(FlagsInView(ui->state), ui->state.selection.head);
  const float height = PillHeight(*ui);
  if (flag == nullptr) {
    DrawTextIn(*ui, {x, y, width, height}, NoFlagWords(*ui), Type::kSmall, colors.dim, width);
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
