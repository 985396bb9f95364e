// Export: what, where, how large, on which ground.
#include <algorithm>
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/export_draft.h"
#include "app/state/queries.h"
#include "app/views/keys.h"
#include "app/views/panels.h"
#include "app/views/popups.h"
#include "app/views/text_field.h"
#include "app/views/widgets.h"
#include "core/figure/figure.h"

namespace headscope {
namespace {

// Radio buttons in a row; returns the one chosen.
template <std::size_t N>
int Choose(const char* id, const std::array<const char*, N>& names, int chosen) {
  ImGui::PushID(id);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(2.0F, 2.0F));
  for (int i = 0; i < static_cast<int>(N); ++i) {
    if (i > 0) {
      ImGui::SameLine();
    }
    if (ImGui::RadioButton(names[static_cast<std::size_t>(i)], chosen == i)) {
      chosen = i;
    }
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return chosen;
}

void DrawPlace(Ui* ui, ExportDraft* draft) {
  DialogField(
      ui, "export file", &draft->path, {.hint = "/path/to/picture.png", .beside = ui->Px(96.0F)});
  ImGui::SameLine();
  if (DialogButton(ui, "Choose …", false)) {
    ui->Do(ChooseFile{FileWanted::kExportPlace});
  }
  if (const std::string problem = PathProblem(*draft); !problem.empty()) {
    SmallParagraph(ui, problem, ui->colors().text);
  }
}

void DrawSize(Ui* ui, ExportDraft* draft) {
  const float width = ui->Px(140.0F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float whole = ImGui::GetContentRegionAvail().x;
  DialogField(
      ui, "export size", &draft->size, {.hint = "1600", .beside = std::max(0.0F, whole - width)});
  const std::string problem = SizeProblem(*draft);
  const std::string words = problem.empty() ? SizeHint(*draft) : problem;
  if (!words.empty()) {
    const float left = at.x + width + ui->Px(12.0F);
    DrawParagraph(*ui,
                  left,
                  at.y,
                  at.x + whole - left,
                  words,
                  Type::kSmall,
                  problem.empty() ? ui->colors().muted : ui->colors().text);
  }
}

}  // namespace

void DrawExportDialog(Ui* ui) {
  if (!BeginStatePopup(ui, Popup::kExport, "export dialog", 440.0F)) {
    return;
  }
  const ExportDraft& now = ui->state.dialogs.exporting;
  const ThemeColors& colors = ui->colors();
  ExportDraft draft = now;
  Heading(ui, "Export as PNG");
  const std::string head = "head " + HeadName(ui->state.selection.head);
  const ModelPart part = PartInView(ui->state);
  const std::string all = part == ModelPart::kWhole ? std::string("all heads")
                                                    : fmt::format("all {} heads", PartName(part));
  std::array<const char*, 3> what = {head.c_str(), all.c_str(), "head counts"};
  draft.what = static_cast<ExportWhat>(Choose("what", what, static_cast<int>(draft.what)));
  if (draft.what == ExportWhat::kCounts && ui->state.counts.result == nullptr) {
    SmallParagraph(ui, "Open Counts (2) first: the layer is not computed yet.", colors.muted);
  }
  Heading(ui, "file");
  DrawPlace(ui, &draft);
  Heading(ui,
          fmt::format("longer side, {} to {} pixels", kLeastFigureSize, kMostFigureSize).c_str());
  DrawSize(ui, &draft);
  Heading(ui, "ground");
  draft.theme = Choose("theme",
                       std::array<const char*, 2>{"light, for paper", "dark"},
                       draft.theme == Theme::kLight ? 0 : 1) == 0
                    ? Theme::kLight
                    : Theme::kDark;
  if (draft.what != now.what || draft.path != now.path || draft.size != now.size ||
      draft.theme != now.theme) {
    ui->Do(EditExport{draft});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (now.ask_overwrite) {
    SmallParagraph(ui, fmt::format("{} is there already.", now.path), colors.text);
    if (DialogButton(ui, "Overwrite", true)) {
      ui->Do(StartExport{.overwrite = true});
    }
  } else if (DialogButton(ui, "Save", true, CanExport(now)) ||
             (IsPressed(*ui, Key::kEnter) && CanExport(now) && now.done.empty())) {
    ui->Do(StartExport{.overwrite = false});
  }
  ImGui::SameLine();
  if (DialogButton(ui, now.done.empty() ? "Cancel" : "Close", false)) {
    ui->Do(ClosePopup{});
  }
  if (now.request != 0) {
    SmallParagraph(ui, "writing …", colors.muted);
  } else if (!now.done.empty()) {
    SmallParagraph(ui, "Saved " + now.done, colors.text);
  }
  if (const Notice* notice = NoticeAt(ui->state, ErrorPlace::kExport)) {
    SmallParagraph(ui, notice->sentence, colors.text);
  }
  EndStatePopup();
}

}  // namespace headscope
