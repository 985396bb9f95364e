// The command palette: what is typed finds what can be done.
#include <algorithm>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/help/commands.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

constexpr std::size_t kMostCommands = 14;

void RunCommand(Ui* ui, const Command& command) {
  ui->Do(ClosePopup);
  for (const Action& action : command.actions) {
    ui->Do(action);
  }
  if (command.popup == Popup::kNone) {
    return;
  }
  ui->memory->popup_anchor = UsualAnchor(*ui, command.popup);
  if (command.types) {
    OpenForTyping(ui, command.popup);
  } else {
    ui->Do(OpenPopup{command.popup});
  }
}

// Whether it was clicked, and can be done.
bool DrawCommand(Ui* ui, const Command& command, bool is_pointed) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const float height = ui->Px(30.0F);
  if (is_pointed) {
    FillRect(*ui, {at.x, at.y, width, height}, ChosenFill(*ui), 7.0F);
  }
  const std::string id = "##" + command.name;
  const bool clicked =
      ImGui::Selectable(id.c_str(), false, ImGuiSelectableFlags_DontClosePopups, {width, height});
  const ThemeColors& colors = ui->colors();
  const bool can = command.why_not.empty();
  Row row(ui, {at.x + ui->Px(8.0F), at.y, width - ui->Px(16.0F), height});
  row.TextRight(can ? command.keys : command.why_not, Type::kSmall, colors.muted);
  row.SkipRight(12.0F);
  row.Text(command.name, Type::kBody, can ? colors.text : colors.muted);
  return clicked && can;
}

}  // namespace

void DrawPalette(Ui* ui) {
  std::string typed = ui->state.dialogs.palette_text;
  ViewMemory& memory = *ui->memory;
  const TakesKeys takes_keys = WhenOpened(*ui, TakesKeys::kNowSelected);
  if (DialogField(
          ui,
          "command",
          &typed,
          {.hint = "What do you want to do? lines, theme, compare …", .takes_keys = takes_keys})) {
    ui->Do(EditPalette{typed});
    memory.pointed_command = 0;
  }
  const std::vector<Command> found = FindCommands(CommandsOf(ui->state), typed);
  const std::size_t shown = std::min(found.size(), kMostCommands);
  for (const KeyPress& press : ui->keys) {
    memory.pointed_command += press.key == Key::kDown ? 1 : (press.key == Key::kUp ? -1 : 0);
  }
  memory.pointed_command = std::clamp<std::int64_t>(
      memory.pointed_command, 0, std::max<std::int64_t>(static_cast<std::int64_t>(shown), 1) - 1);
  const auto pointed = static_cast<std::size_t>(memory.pointed_command);
  if (IsPressed(*ui, Key::kEnter) && pointed < shown && found[pointed].why_not.empty()) {
    RunCommand(ui, found[pointed]);
  }
  for (std::size_t i = 0; i < shown; ++i) {
    if (DrawCommand(ui, found[i], i == pointed)) {
      RunCommand(ui, found[i]);
    }
  }
  if (found.empty()) {
    Heading(ui, "Nothing has all of these words in its name");
  } else if (found.size() > shown) {
    Heading(ui, fmt::format("and {} more: type a part of the name", found.size() - shown));
  }
}

}  // namespace headscope
