#include "app/views/flags/head_flag.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/heads/role_words.h"
#include "app/state/queries.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr std::size_t kMostUndecided = 2;

std::string NoFlagWords(const Ui& ui) {
  const HeadSuggestions suggestions = SuggestionsInView(ui.state);
  const auto& found = suggestions.Of(ui.state.selection.head);
  const bool is_here = ui.state.screen->wants_scores;  // it stands below
  const HeadScanReport* const report = RolesInView(ui.state);
  std::vector<std::string> undecided;
  if (report != nullptr && report->is_whole() && HasMoreSentences(*report)) {
    undecided = UndecidedRoles(*report, ui.state.selection.head);
    undecided.resize(std::min(undecided.size(), kMostUndecided));
  }
  if (is_here || (found.empty() && undecided.empty())) {
    return "no flag yet: F says what this head does";
  }
  std::vector<std::string> roles;
  for (const Suggestion* one : found) {
    if (std::ranges::find(roles, RoleLabel(one->role)) == roles.end()) {
      roles.push_back(RoleLabel(one->role));
    }
  }
  return fmt::format("no flag yet{}{}{}{} (3 shows why, F flags)",
                     roles.empty() ? "" : "; suggested: ",
                     fmt::join(roles, " · "),
                     undecided.empty() ? "" : "; not decided yet: ",
                     fmt::join(undecided, ", "));
}

// A gap and so many lines of a text; the whole of it where the pointer rests. Returns the height.
float DrawLines(
    Ui* ui, const char* id, Rect at, const std::string& text, Rgb color, int most_lines) {
  if (text.empty()) {
    return 0.0F;
  }
  const float gap = ui->Px(6.0F);
  const float tall =
      DrawParagraph(*ui, at.x, at.y + gap, at.width, text, Type::kSmall, color, most_lines);
  if (ParagraphHeight(*ui, text, at.width, Type::kSmall, most_lines + 1) > tall) {
    Area(ui, id, {at.x, at.y + gap, at.width, tall}, text);
  }
  return gap + tall;
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
  const std::string who = fmt::format(
      "{}{}{}", flag->author, flag->author.empty() || flag->date.empty() ? "" : ", ", flag->date);
  const float beside = x + pill + ui->Px(8.0F);
  DrawTextIn(*ui,
             {beside, y, x + width - beside, height},
             who,
             Type::kSmall,
             colors.dim,
             x + width - beside);
  float tall = height;
  tall += DrawLines(ui, "flag note", {x, y + tall, width, 0.0F}, flag->note, colors.muted, 3);
  tall += DrawLines(ui,
                    "flag evidence",
                    {x, y + tall, width, 0.0F},
                    flag->evidence.empty() ? "" : "Set with: " + flag->evidence,
                    colors.dim,
                    2);
  return tall;
}

}  // namespace headscope
