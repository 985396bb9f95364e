// F: what a head does, in a role, a colour and a note.
#include <array>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/detail_header.h"
#include "app/views/keys.h"
#include "app/views/panels.h"
#include "app/views/popups.h"
#include "app/views/text_field.h"
#include "app/views/widgets.h"
#include "core/heads/role.h"

namespace headscope {
namespace {

void DrawRoles(Ui* ui, FlagDraft* draft) {
  const float swatch = ui->Px(6.0F);
  for (const Role& role : kRoles) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string id = "##" + std::string(role.id);
    const float height = ui->Px(26.0F);
    if (ImGui::Selectable(id.c_str(),
                          draft->role == role.id,
                          ImGuiSelectableFlags_DontClosePopups,
                          {ImGui::GetContentRegionAvail().x, height})) {
      draft->role = std::string(role.id);
      draft->colour = HexOf(RgbOf(role.rgb));
    }
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("%s", std::string(role.meaning).c_str());
    }
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {at.x + ui->Px(16.0F), at.y + height / 2.0F}, swatch, ToImGui(RgbOf(role.rgb)));
    DrawTextIn(*ui,
               {at.x + ui->Px(32.0F), at.y, 0.0F, height},
               role.label,
               Type::kBody,
               ui->colors().text);
  }
}

void DrawColours(Ui* ui, FlagDraft* draft) {
  const float side = ui->Px(22.0F);
  for (std::size_t i = 0; i < kRoles.size(); ++i) {
    const Rgb color = RgbOf(kRoles[i].rgb);
    if (i > 0) {
      ImGui::SameLine(0.0F, ui->Px(6.0F));
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("colour", {side, side})) {
      draft->colour = HexOf(color);
    }
    ImGui::PopID();
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("colour of %s", std::string(kRoles[i].label).c_str());
    }
    FillRect(*ui, {at.x + 3.0F, at.y + 3.0F, side - 6.0F, side - 6.0F}, color, 4.0F);
    if (draft->colour == HexOf(color)) {
      FrameRect(*ui, {at.x, at.y, side, side}, ui->colors().text, 6.0F, 1.5F);
    }
  }
}

}  // namespace

void DrawFlagEditor(Ui* ui) {
  if (!BeginStatePopup(ui, Popup::kFlag, "flag editor", 320.0F)) {
    return;
  }
  const FlagDraft& now = ui->state.dialogs.flag;
  FlagDraft draft = now;
  const ModelWork* const work = WorkOf(ui->state, draft.model.get());
  const bool has_flag = work != nullptr && FindFlag(work->flags, draft.head) != nullptr;
  const std::string whose = work == nullptr || draft.model == ui->state.model
                                ? ""
                                : fmt::format(" of {}", work->model->name);
  Heading(ui, fmt::format("What does {}{} do?", HeadName(draft.head), whose).c_str());
  DrawRoles(ui, &draft);
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  Heading(ui, "or in a word of your own");
  DialogField(ui, "role", &draft.role, {});
  Heading(ui, "colour");
  DrawColours(ui, &draft);
  Heading(ui, "note");
  constexpr int kNoteLines = 4;
  DialogField(
      ui,
      "note",
      &draft.note,
      {.hint = "what you saw, and where",
       .takes_keys = ui->memory->popup_appearing ? TakesKeys::kNow : TakesKeys::kWhenClicked,
       .lines = kNoteLines});
  const bool entered = IsPressed(*ui, Key::kEnter);
  const bool changed =
      draft.role != now.role || draft.colour != now.colour || draft.note != now.note;
  if (changed) {
    ui->Do(EditFlag{draft});
  }
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (DialogButton(ui, "Save flag", true, !draft.role.empty()) ||
      (entered && !draft.role.empty())) {
    ui->Do(SaveFlag{});
  }
  if (has_flag) {
    ImGui::SameLine();
    if (DialogButton(ui, "Remove", false)) {
      ui->Do(ClearFlag{draft.head});
    }
  }
  ImGui::SameLine();
  if (DialogButton(ui, "Cancel", false)) {
    ui->Do(ClosePopup{});
  }
  if (work != nullptr && !work->session.writable) {
    Heading(ui, "kept until you leave: this session cannot be written");
  }
  EndStatePopup();
}

}  // namespace headscope
