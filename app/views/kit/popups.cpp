#include "app/views/kit/popups.h"

#include <algorithm>
#include <array>
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
    case Popup::kPalette:
      return {width / 2.0F - ui.Px(280.0F), ui.Px(60.0F), 0.0F, 0.0F};
    default:
      return {width / 2.0F - ui.Px(200.0F), ui.Px(90.0F), 0.0F, 0.0F};
  }
}

bool MenuRow(
    Ui* ui, const char* id, const std::string& name, const std::string& about, bool is_chosen) {
  const float pad = ui->Px(8.0F);
  const float width = ImGui::GetContentRegionAvail().x;
  const float inner = width - 2.0F * pad;
  float height = ui->Px(30.0F);
  if (!about.empty()) {
    height = ui->Px(32.0F) + ParagraphHeight(*ui, about, inner, Type::kSmall);
  }
  const ImVec2 at = ImGui::GetCursorScreenPos();
  if (is_chosen) {
    FillRect(*ui, {at.x, at.y, width, height}, ChosenFill(*ui), 7.0F);
  }
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

int MenuChoices(Ui* ui, const char* id, std::span<const SegmentChoice> choices, int chosen) {
  int pressed = -1;
  ImGui::PushID(id);
  for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
    const SegmentChoice& choice = choices[static_cast<std::size_t>(i)];
    const std::string name(choice.text);
    if (MenuRow(ui, name.c_str(), name, std::string(choice.tooltip), i == chosen)) {
      pressed = i;
    }
  }
  ImGui::PopID();
  return pressed;
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

int DialogChoices(
    Ui* ui, const char* id, std::span<const std::string> names, int chosen, bool enabled) {
  const ThemeColors& colors = ui->colors();
  const ImGuiStyle& style = ImGui::GetStyle();
  const float right = ImGui::GetCursorScreenPos().x + ImGui::GetContentRegionAvail().x;
  int pressed = -1;
  ImGui::PushID(id);
  for (int i = 0; i < static_cast<int>(names.size()); ++i) {
    const char* const name = names[static_cast<std::size_t>(i)].c_str();
    const float width = ImGui::CalcTextSize(name).x + 2.0F * style.FramePadding.x;
    if (i > 0 && ImGui::GetItemRectMax().x + style.ItemSpacing.x + width <= right) {
      ImGui::SameLine();
    }
    const bool is_chosen = i == chosen;
    ImGui::PushStyleColor(ImGuiCol_Button, ToImGui(is_chosen ? ChosenFill(*ui) : colors.panel));
    ImGui::PushStyleColor(ImGuiCol_Text, ToImGui(is_chosen ? colors.text : colors.muted));
    ImGui::BeginDisabled(!enabled && !is_chosen);
    if (ImGui::Button(name)) {
      pressed = i;
    }
    ImGui::EndDisabled();
    ImGui::PopStyleColor(2);
  }
  ImGui::PopID();
  return pressed;
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

namespace {

// A popup that the state opens and closes. `width` unscaled.
struct StatePopup {
  Popup popup;
  const char* id;
  float width;
  void (*draw)(Ui* ui);
};
constexpr std::array kPopups = std::to_array<StatePopup>({
    {Popup::kModels, "models", 560.0F, DrawModelMenu},
    {Popup::kSamples, "samples", 520.0F, DrawSamplesMenu},
    {Popup::kCompare, "side B", 560.0F, DrawCompareMenu},
    {Popup::kPatchRows, "patched rows", 520.0F, DrawPatchRowsMenu},
    {Popup::kQuestions, "questions", 620.0F, DrawQuestionsMenu},
    {Popup::kTokens, "tokens", 420.0F, DrawTokensMenu},
    {Popup::kColour, "colours", 420.0F, DrawColourMenu},
    {Popup::kRange, "ranges", 420.0F, DrawRangeMenu},
    {Popup::kPooling, "pooling", 420.0F, DrawPoolingMenu},
    {Popup::kLayer, "layers", 160.0F, DrawLayerMenu},
    {Popup::kColumns, "columns", 460.0F, DrawColumnsMenu},
    {Popup::kWeights, "weights", 420.0F, DrawWeightsMenu},
    {Popup::kInput, "input", 420.0F, DrawInputMenu},
    {Popup::kTryCounts, "head counts", 420.0F, DrawTryCountsMenu},
    {Popup::kJump, "jump", 380.0F, DrawJumpBox},
    {Popup::kPalette, "palette", 560.0F, DrawPalette},
    {Popup::kFlag, "flag editor", 340.0F, DrawFlagEditor},
    {Popup::kReject, "reject", 420.0F, DrawRejectBox},
    {Popup::kFlagFiles, "flag files", 480.0F, DrawFlagFilesMenu},
    {Popup::kFlagExport, "flag export", 440.0F, DrawFlagExport},
    {Popup::kFlagImport, "flag import", 520.0F, DrawFlagImport},
    {Popup::kAgreement, "agreement dialog", 560.0F, DrawAgreement},
    {Popup::kScanSave, "scan save", 440.0F, DrawScanSave},
    {Popup::kProbe, "probe", 520.0F, DrawProbeMenu},
    {Popup::kGridLook, "grid look", 420.0F, DrawGridLook},
    {Popup::kTrainMore, "train knobs", 460.0F, DrawTrainMenu},
    {Popup::kExport, "export dialog", 900.0F, DrawExportDialog},
    {Popup::kHeadCount, "head count", 420.0F, DrawHeadCountMenu},
    {Popup::kEmbeddings, "embeddings", 520.0F, DrawEmbeddingsDialog},
    {Popup::kWork, "work menu", 520.0F, DrawWorkMenu},
    {Popup::kSessions, "sessions menu", 560.0F, DrawSessions},
    {Popup::kFiles, "file list", 560.0F, DrawFileList},
});

// Whether it is open now; then its content follows, and ImGui's end.
bool Begin(Ui* ui, const StatePopup& own) {
  ViewMemory& memory = *ui->memory;
  const bool wanted = ui->state.dialogs.popup == own.popup;
  memory.popup_appearing = false;
  if (wanted && own.popup == Popup::kHeadCount) {  // opened by a file, not by a button
    memory.popup_anchor = UsualAnchor(*ui, own.popup);
  }
  if (wanted && memory.open_popup != own.popup) {
    ImGui::OpenPopup(own.id);
    memory.open_popup = own.popup;
    memory.popup_appearing = true;
  }
  if (!ImGui::IsPopupOpen(own.id)) {
    if (wanted) {  // ImGui closed it: a click beside it
      memory.open_popup = Popup::kNone;
      ui->Do(ClosePopup);
    }
    return false;
  }
  const Rect& window = ui->layout.window;
  // The list of files leaves the anchor to what it goes back to.
  const Rect anchor =
      own.popup == Popup::kFiles ? UsualAnchor(*ui, own.popup) : memory.popup_anchor;
  const float margin = ui->Px(8.0F);
  const float wide = std::min(ui->Px(own.width), window.width - 2.0F * margin);
  const float x = std::clamp(anchor.x, margin, std::max(margin, window.width - wide - margin));
  const float y = std::min(anchor.y + anchor.height + ui->Px(6.0F), window.height - ui->Px(120.0F));
  ImGui::SetNextWindowPos({x, y}, ImGuiCond_Always);
  ImGui::SetNextWindowSizeConstraints({wide, 0.0F}, {wide, window.height - y - margin});
  if (!ImGui::BeginPopup(own.id, ImGuiWindowFlags_NoMove)) {
    return false;
  }
  if (!wanted) {
    ImGui::CloseCurrentPopup();
    ImGui::EndPopup();
    if (memory.open_popup == own.popup) {
      memory.open_popup = Popup::kNone;
    }
    return false;
  }
  return true;
}

}  // namespace

void DrawPopups(Ui* ui) {
  for (const StatePopup& each : kPopups) {
    if (Begin(ui, each)) {
      each.draw(ui);
      ImGui::EndPopup();
    }
  }
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
