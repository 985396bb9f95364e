// Export: what, where, how large, on which ground.
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/keys.h"
#include "app/views/panels.h"
#include "app/views/popups.h"
#include "app/views/text_field.h"
#include "app/views/widgets.h"

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

void Paragraph(Ui* ui, const std::string& text, Rgb color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height =
      DrawParagraph(*ui, at.x, at.y, ImGui::GetContentRegionAvail().x, text, Type::kSmall, color);
  ImGui::Dummy({1.0F, height});
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
    Paragraph(ui, "Open Counts (2) first: the layer is not computed yet.", colors.muted);
  }
  Heading(ui, "file");
  DialogField(ui, "export file", &draft.path, {.hint = "/path/to/picture.png"});
  Heading(ui, "longer side, pixels");
  ImGui::SetNextItemWidth(ui->Px(140.0F));
  ImGui::InputInt("##size", &draft.size_px, 100, 400);
  Heading(ui, "ground");
  draft.theme = Choose("theme",
                       std::array<const char*, 2>{"light, for paper", "dark"},
                       draft.theme == Theme::kLight ? 0 : 1) == 0
                    ? Theme::kLight
                    : Theme::kDark;
  if (draft.what != now.what || draft.path != now.path || draft.size_px != now.size_px ||
      draft.theme != now.theme) {
    ui->Do(EditExport{draft});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (now.ask_overwrite) {
    Paragraph(ui, fmt::format("{} is there already.", now.path), colors.text);
    if (DialogButton(ui, "Overwrite", true)) {
      ui->Do(StartExport{.overwrite = true});
    }
  } else if (DialogButton(ui, "Save", true, now.request == 0 && !draft.path.empty()) ||
             (IsPressed(*ui, Key::kEnter) && now.request == 0 && now.done.empty() &&
              !draft.path.empty())) {
    ui->Do(StartExport{.overwrite = false});
  }
  ImGui::SameLine();
  if (DialogButton(ui, now.done.empty() ? "Cancel" : "Close", false)) {
    ui->Do(ClosePopup{});
  }
  if (now.request != 0) {
    Paragraph(ui, "writing …", colors.muted);
  } else if (!now.done.empty()) {
    Paragraph(ui, "Saved " + now.done, colors.text);
  }
  if (const Notice* notice = NoticeAt(ui->state, ErrorPlace::kExport)) {
    Paragraph(ui, notice->sentence, colors.text);
  }
  EndStatePopup();
}

}  // namespace headscope
