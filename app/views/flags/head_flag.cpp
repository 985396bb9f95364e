#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/state/heads/own_probe.h"
#include "app/state/heads/role_words.h"
#include "app/state/queries.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"

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
    return "Not labelled. Press F to label it.";
  }
  std::vector<std::string> roles;
  for (const Suggestion* one : found) {
    if (std::ranges::find(roles, one->role) == roles.end()) {
      roles.push_back(one->role);
    }
  }
  return fmt::format("Not labelled{}{}{}{} (3 shows why, F labels it)",
                     roles.empty() ? "" : "; suggested: ",
                     fmt::join(roles, " · "),
                     undecided.empty() ? "" : "; not decided yet: ",
                     fmt::join(undecided, ", "));
}

// A gap and so many lines of a text; the whole of it where the pointer rests.
void DrawLines(Pen* pen, const char* id, const std::string& text, Rgb color, int most_lines) {
  if (text.empty()) {
    return;
  }
  pen->Skip(6.0F);
  const Rect place = pen->Take(
      DrawParagraph(*pen->ui, pen->x, pen->y, pen->width, text, Type::kSmall, color, most_lines));
  if (ParagraphHeight(*pen->ui, text, pen->width, Type::kSmall, most_lines + 1) > place.height) {
    Area(pen->ui, id, place, text);
  }
}

}  // namespace

void DrawFlagLine(Pen* pen) {
  Ui* const ui = pen->ui;
  const ThemeColors& colors = ui->colors();
  const HeadFlag* flag = FindFlag(FlagsInView(ui->state), ui->state.selection.head);
  Row row(ui, pen->Take(PillHeight(*ui)));
  if (flag == nullptr) {
    row.Text(NoFlagWords(*ui), Type::kSmall, colors.dim);
    return;
  }
  const Rect pill =
      row.Left(Pill(*ui, row.whole().x, row.whole().y, ColorFromHex(flag->colour), flag->role));
  if (Area(ui, "flag pill", pill, "Change or remove this flag (F)").clicked) {
    ui->memory->popup_anchor = pill;
    ui->Do(OpenPopup{Popup::kFlag});
  }
  row.Skip(8.0F);
  const char* const between = flag->author.empty() || flag->date.empty() ? "" : ", ";
  row.Text(flag->author + between + flag->date, Type::kSmall, colors.dim);
  DrawLines(pen, "flag note", flag->note, colors.muted, 3);
  const std::string evidence = flag->evidence.empty() ? "" : "Set with: " + flag->evidence;
  DrawLines(pen, "flag evidence", evidence, colors.dim, 2);
}

}  // namespace headscope
