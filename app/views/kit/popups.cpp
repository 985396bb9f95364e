#include "app/views/kit/popups.h"

#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/views/kit/widgets.h"
#include "app/views/panels.h"

namespace headscope {

Rect UsualAnchor(const Ui& ui, Popup popup) {
  const float width = ui.layout.window.width;
  const float top = ui.Px(10.0F);
  const float height = ui.Px(36.0F);
  switch (popup) {
    case Popup::kModels:
    case Popup::kHeadCount:
      return {ui.Px(76.0F), top, ui.Px(200.0F), height};
    case Popup::kSamples:
      return {width - ui.Px(420.0F), top, 0.0F, height};
    default:
      return {width / 2.0F - ui.Px(200.0F), ui.Px(90.0F), 0.0F, 0.0F};
  }
}

bool BeginStatePopup(Ui* ui, Popup popup, const char* id, float width) {
  ViewMemory& memory = *ui->memory;
  const bool wanted = ui->state.dialogs.popup == popup;
  memory.popup_appearing = false;
  if (wanted && memory.open_popup != popup) {
    ImGui::OpenPopup(id);
    memory.open_popup = popup;
    memory.popup_appearing = true;
  }
  if (!ImGui::IsPopupOpen(id)) {
    if (wanted) {  // ImGui closed it: a click beside it
      memory.open_popup = Popup::kNone;
      ui->Do(ClosePopup{});
    }
    return false;
  }
  const Rect& window = ui->layout.window;
  // The list of files leaves the anchor to what it goes back to.
  const Rect anchor = popup == Popup::kFiles ? UsualAnchor(*ui, popup) : memory.popup_anchor;
  const float margin = ui->Px(8.0F);
  const float wide = std::min(ui->Px(width), window.width - 2.0F * margin);
  const float x = std::clamp(anchor.x, margin, std::max(margin, window.width - wide - margin));
  const float y = std::min(anchor.y + anchor.height + ui->Px(6.0F), window.height - ui->Px(120.0F));
  ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always);
  ImGui::SetNextWindowSizeConstraints({wide, 0.0F}, {wide, window.height - y - margin});
  if (!ImGui::BeginPopup(id, ImGuiWindowFlags_NoMove)) {
    return false;
  }
  if (!wanted) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    if (memory.open_popup == popup) {
      memory.open_popup = Popup::kNone;
    }
    return false;
  }
  return true;
}

void EndStatePopup() {
  ImGui::EndPopup();
}

bool MenuRow(Ui* ui, const char* id, const std::string& name, const std::string& about) {
  const float pad = ui->Px(8.0F);
  const float width = ImGui::GetContentRegionAvail().x;
  const float inner = width - 2.0F * pad;
  float height = ui->Px(30.0F);
  if (!about.empty()) {
    height = ui->Px(32.0F) + ParagraphHeight(*ui, about, inner, Type::kSmall);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool chosen = ImGui::Selectable((std::string("##") + id).c_str(),
                                        false,
                                        ImGuiSelectableFlags_DontClosePopups,
                                        {width, height});
  const Rect row{at.x + pad, at.y, inner, ui->Px(about.empty() ? 30.0F : 26.0F)};
  DrawTextIn(*ui, row, name, Type::kBody, ui->colors().text, row.width);
  if (!about.empty()) {
    DrawParagraph(*ui, row.x, at.y + ui->Px(25.0F), inner, about, Type::kSmall, ui->colors().muted);
  }
  return chosen;
}

void SmallParagraph(Ui* ui, const std::string& text, Rgb color) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height =
      DrawParagraph(*ui, at.x, at.y, ImGui::GetContentRegionAvail().x, text, Type::kSmall, color);
  ImGui::Dummy({1.0F, height});
}

void Heading(Ui* ui, std::string_view text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  DrawText(*ui, at.x, at.y, text, Type::kSmall, ui->colors().muted);
  ImGui::Dummy({1.0F, LineHeight(*ui, Type::kSmall)});
}

bool DialogButton(Ui* ui, const char* label, bool primary, bool enabled) {
  const ThemeColors& colors = ui->colors();
  if (primary && enabled) {
    ImGui::PushStyleColor(ImGuiCol_Button, ToImGui(colors.accent));
    ImGui::PushStyleColor(ImGuiCol_ButtonHovered,
                          ToImGui(Blend(colors.accent, colors.text, 0.12F)));
    ImGui::PushStyleColor(ImGuiCol_ButtonActive, ToImGui(colors.accent));
    ImGui::PushStyleColor(ImGuiCol_Text, ToImGui(ReadableOn(*ui, colors.accent)));
  }
  if (!enabled) {
    ImGui::BeginDisabled();
  }
  const bool pressed = ImGui::Button(label);
  if (!enabled) {
    ImGui::EndDisabled();
  }
  if (primary && enabled) {
    ImGui::PopStyleColor(4);
  }
  return pressed;
}

void DrawPopups(Ui* ui) {
  DrawModelMenu(ui);
  DrawSamplesMenu(ui);
  DrawCompareMenu(ui);
  DrawColormapMenu(ui);
  DrawJumpBox(ui);
  DrawFlagEditor(ui);
  DrawRejectBox(ui);
  DrawFlagFilesMenu(ui);
  DrawFlagExport(ui);
  DrawFlagImport(ui);
  DrawAgreement(ui);
  DrawScanSave(ui);
  DrawProbeMenu(ui);
  DrawGridLook(ui);
  DrawExportDialog(ui);
  DrawHeadCountMenu(ui);
  DrawEmbeddingsDialog(ui);
  DrawFileList(ui);
  // While a popup is open arrows and Tab belong to it; else they walk heads. In the flag editor
  // and in the list of files arrows choose.
  ImGuiIO& io = ImGui::GetIO();
  // A text field keeps its own: ImGui would press a button with its blank or Enter.
  const Popup popup = ui->state.dialogs.popup;
  const bool has_own_arrows = popup == Popup::kFlag || popup == Popup::kFiles;
  if (popup != Popup::kNone && !has_own_arrows && !ui->memory->fields.has_focus()) {
    io.ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  } else {
    io.ConfigFlags &= ~ImGuiConfigFlags_NavEnableKeyboard;
  }
}

}  // namespace headscope
