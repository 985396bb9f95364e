// F: what a head does, in a role, a colour and a note.
//
// The roles have the keys first: digits and arrows choose, Tab goes on to the fields, and any other
// letter begins the note. Enter saves wherever the keys are.
#include <cstddef>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

constexpr int kRoleCount = static_cast<int>(kRoles.size());
constexpr int kDigits = 9;  // that choose a role by themselves

// The place of the draft's role among those offered; -1: none, or a word of a person's own.
int RoleIndex(const FlagDraft& draft) {
  const Role* const role = FindRole(draft.role);
  return role != nullptr ? static_cast<int>(role - kRoles.data()) : -1;
}

void ChooseRole(Ui* ui, FlagDraft* draft, int index) {
  const Role& role = kRoles[static_cast<std::size_t>(index)];
  draft->role = std::string(role.id);
  draft->colour = HexOf(RgbOf(role.rgb));
  ui->Do(EditFlag{*draft});
}

bool RolesHaveKeys(const Ui& ui) {
  return !ui.memory->fields.has_focus() && ui.memory->keys.frames_for_field == 0;
}

// Digits and arrows choose; another letter begins the note, with all that was pressed after it.
// Returns whether one did.
bool TakeKeys(Ui* ui, FlagDraft draft) {
  constexpr int kMostFrames = 5;
  KeyQueue& queue = ui->memory->keys;
  for (std::size_t i = 0; i < ui->keys.size(); ++i) {
    const KeyPress& press = ui->keys[i];
    const int step = press.key == Key::kDown ? 1 : (press.key == Key::kUp ? -1 : 0);
    const bool is_letter = press.key == Key::kCharacter && press.character > U' ';
    const int digit = is_letter ? static_cast<int>(press.character) - '1' : -1;
    if (step != 0) {
      const int now = RoleIndex(draft);
      const int first = step > 0 ? 0 : kRoleCount - 1;
      ChooseRole(ui, &draft, now < 0 ? first : (now + step + kRoleCount) % kRoleCount);
    } else if (digit >= 0 && digit < kDigits) {
      ChooseRole(ui, &draft, digit);
    } else if (is_letter) {
      queue.waiting.insert(
          queue.waiting.begin(), ui->keys.begin() + static_cast<std::ptrdiff_t>(i), ui->keys.end());
      queue.frames_for_field = kMostFrames;
      ui->keys.clear();
      ui->WakeIn(0.0);
      return true;
    }
  }
  return false;
}

void DrawRoles(Ui* ui, FlagDraft draft) {
  const ThemeColors& colors = ui->colors();
  const float height = ui->Px(26.0F);
  const int chosen = RoleIndex(draft);
  const bool has_keys = RolesHaveKeys(*ui);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  for (int i = 0; i < kRoleCount; ++i) {
    const Role& role = kRoles[static_cast<std::size_t>(i)];
    const Rect row{top.x, top.y + height * static_cast<float>(i), width, height};
    const std::string id(role.id);
    const Pressed area = Area(ui, id.c_str(), row, role.meaning);
    if (i == chosen || area.hovered) {
      FillRect(*ui, row, Blend(colors.raised, colors.text, i == chosen ? 0.14F : 0.05F), 6.0F);
    }
    if (i == chosen && has_keys) {
      FrameRect(*ui, row, colors.accent, 6.0F);
    }
    const float middle = row.y + height / 2.0F;
    DrawTextIn(*ui,
               {row.x + ui->Px(9.0F), row.y, 0.0F, height},
               i < kDigits ? fmt::format("{}", i + 1) : "",
               Type::kMonoSmall,
               colors.muted);
    ImGui::GetWindowDrawList()->AddCircleFilled(
        {row.x + ui->Px(30.0F), middle}, ui->Px(6.0F), ToImGui(RgbOf(role.rgb)));
    DrawTextIn(
        *ui, {row.x + ui->Px(46.0F), row.y, 0.0F, height}, role.id, Type::kBody, colors.text);
    if (area.clicked) {
      ChooseRole(ui, &draft, i);
    }
  }
  ImGui::SetCursorScreenPos({top.x, top.y + height * static_cast<float>(kRoleCount)});
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
}

void DrawColours(Ui* ui, FlagDraft draft) {
  const float side = ui->Px(22.0F);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  for (int i = 0; i < kRoleCount; ++i) {
    const Role& role = kRoles[static_cast<std::size_t>(i)];
    const Rgb color = RgbOf(role.rgb);
    const Rect at{top.x + static_cast<float>(i) * (side + ui->Px(6.0F)), top.y, side, side};
    const std::string tooltip = fmt::format("colour of {}", role.id);
    const bool clicked = Area(ui, "colour", i, at, tooltip).clicked;
    FillRect(*ui, Inset(at, ui->Px(3.0F), ui->Px(3.0F)), color, 4.0F);
    if (draft.colour == HexOf(color)) {
      FrameRect(*ui, at, ui->colors().text, 6.0F, 1.5F);
    }
    if (clicked) {
      draft.colour = HexOf(color);
      ui->Do(EditFlag{draft});
    }
  }
  ImGui::SetCursorScreenPos({top.x, top.y + side});
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
}

void DrawOwnWord(Ui* ui, FlagDraft draft) {
  std::string word = RoleIndex(draft) < 0 ? draft.role : "";
  if (DialogField(ui, "role", &word, {.hint = "a role of your own"})) {
    draft.role = word;
    ui->Do(EditFlag{draft});
  }
}

void DrawNote(Ui* ui, FlagDraft draft, bool begins) {
  constexpr int kNoteLines = 4;  // a longer note scrolls
  if (DialogField(ui,
                  "note",
                  &draft.note,
                  {.hint = "what you saw, and where",
                   .takes_keys = begins ? TakesKeys::kNow : TakesKeys::kWhenClicked,
                   .lines = kNoteLines})) {
    ui->Do(EditFlag{draft});
  }
}

void DrawButtons(Ui* ui, const FlagDraft& draft, const ModelWork* work) {
  const bool saves = IsPressed(*ui, Key::kEnter);
  if (DialogButton(ui, "Save flag", true) || saves) {
    ui->Do(SaveFlag);
  }
  if (work != nullptr && FindFlag(work->flags, draft.head) != nullptr) {
    ImGui::SameLine();
    if (DialogButton(ui, "Remove", false)) {
      ui->Do(ClearFlag{draft.head});
    }
  }
  ImGui::SameLine();
  if (DialogButton(ui, draft.edited ? "Discard" : "Cancel", false)) {
    ui->Do(DiscardFlagDraft);
  }
}

}  // namespace

void DrawFlagEditor(Ui* ui) {
  const FlagDraft draft = ui->state.dialogs.flag;
  const bool begins_note = RolesHaveKeys(*ui) && TakeKeys(ui, draft);
  const ModelWork* const work = WorkOf(ui->state, draft.model.get());
  const std::string whose = work == nullptr || draft.model == ui->state.model
                                ? ""
                                : fmt::format(" of {}", work->model->name);
  const std::string question = fmt::format(
      "What does {}{} do?{}", HeadName(draft.head), whose, draft.edited ? "  (not saved)" : "");
  Heading(ui, question.c_str());
  DrawRoles(ui, draft);
  Heading(ui, "or in a word of your own");
  DrawOwnWord(ui, draft);
  Heading(ui, "colour");
  DrawColours(ui, draft);
  Heading(ui, "note");
  DrawNote(ui, draft, begins_note);
  if (!ui->state.dialogs.flag_error.empty()) {
    SmallParagraph(ui, ui->state.dialogs.flag_error, ui->colors().text);
  }
  DrawButtons(ui, draft, work);
  if (work != nullptr && !work->session.writable) {
    Heading(ui, "kept until you leave: this session cannot be written");
  }
}

}  // namespace headscope
