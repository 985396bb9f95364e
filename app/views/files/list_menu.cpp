// Our own list of files, where the desktop has no chooser: folders first, arrows and Enter, letters
// jump, Backspace goes up; "/", "~" and Ctrl L go to the field of the path, Ctrl H shows hidden ones.
#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/files/file_list.h"
#include "app/state/flags/files.h"
#include "app/views/kit/keys.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/popups.h"
#include "app/views/kit/text_field.h"
#include "app/views/kit/widgets.h"
#include "app/views/panels.h"

namespace headscope {
namespace {

constexpr const char* kFilePath = "file path";
constexpr double kTypingSeconds = 1.0;  // letters that come closer together are one name

void JumpToTyped(Ui* ui, const FileChooser& files, const std::string& typed) {
  if (typed.empty()) {
    return;
  }
  ViewMemory& memory = *ui->memory;
  if (ui->now_s - memory.file_typed_s > kTypingSeconds) {
    memory.file_typed.clear();
  }
  memory.file_typed += typed;
  memory.file_typed_s = ui->now_s;
  const auto& entries = files.list.entries;
  const auto found = std::ranges::find_if(entries, [&memory](const FileEntry& entry) {
    return Lowered(entry.name).starts_with(Lowered(memory.file_typed));
  });
  if (found != entries.end()) {
    ui->Do(PointFile{found - entries.begin()});
  }
}

// Returns whether the field of the path takes the keys from now on.
TakesKeys TakeKeys(Ui* ui, FileChooser* files) {
  TakesKeys takes_keys = TakesKeys::kWhenClicked;
  const std::string typed = TypedCharacters(*ui);
  const bool begins_path = typed.starts_with('/') || typed.starts_with('~');
  const bool has_field = ui->memory->fields.IsFocused(kFilePath);
  if (begins_path && !has_field) {
    files->typed = typed;  // in this frame, too: more may come in the next one
    ui->Do(EditFilePath{typed});
    takes_keys = TakesKeys::kNow;
  }
  for (const KeyPress& press : ui->keys) {
    if (press.key == Key::kEnter) {
      if (has_field || begins_path) {
        ui->Do(TakeTypedFile);
      } else {
        ui->Do(TakeFile);
      }
    } else if (press.key == Key::kLetter && press.ctrl && press.letter == 'H') {
      ui->Do(ShowHiddenFiles{!files->shows_hidden});
    } else if (press.key == Key::kLetter && press.ctrl && press.letter == 'L') {
      takes_keys = TakesKeys::kNowSelected;
    } else if (press.key == Key::kDown || press.key == Key::kUp) {
      ui->Do(PointFile{files->pointed + (press.key == Key::kDown ? 1 : -1)});
    } else if (press.key == Key::kBackspace || press.key == Key::kLeft) {
      ui->Do(ShowFolder{files->folder.parent_path()});
    }
  }
  if (!begins_path && !has_field) {
    JumpToTyped(ui, *files, typed);
  }
  return takes_keys;
}

// The folder that is shown, until another path is typed.
void DrawPath(Ui* ui, const FileChooser& files, TakesKeys takes_keys) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Row row(ui, {at.x, at.y, ImGui::GetContentRegionAvail().x, ui->Px(30.0F)});
  if (row.Button(
          "folder above",
          {.text = "↑ Up", .tooltip = "The folder above (Backspace)", .type = Type::kSmall})) {
    ui->Do(ShowFolder{files.folder.parent_path()});
  }
  row.Skip(8.0F);
  ViewMemory& memory = *ui->memory;
  if (memory.listed_folder != files.folder) {  // arrows and letters walk it
    memory.listed_folder = files.folder;
    if (memory.fields.IsFocused(kFilePath)) {
      memory.fields.Leave();
    }
  }
  ImGui::SetCursorScreenPos({row.rest().x, at.y});
  std::string path = files.typed;
  if (DialogField(ui,
                  kFilePath,
                  &path,
                  {.hint = "/path/to/file, ~/file; Enter goes there",
                   .takes_keys = takes_keys,
                   .shows_end = true})) {
    ui->Do(EditFilePath{path});
  }
  ImGui::SetCursorScreenPos({at.x, at.y + row.rest().height});
  ImGui::Dummy({1.0F, ui->Px(2.0F)});
  if (!files.fault.empty()) {
    SmallParagraph(ui, files.fault, ui->colors().text);
  }
}

void DrawEntry(Ui* ui, const FileChooser& files, int index, const Rect& row) {
  const FileEntry& entry = files.list.entries[static_cast<std::size_t>(index)];
  const ThemeColors& colors = ui->colors();
  const Pressed area = Area(ui, "file", index, row, "");
  if (index == files.pointed || area.hovered) {
    FillRect(
        *ui, row, Blend(colors.raised, colors.text, index == files.pointed ? 0.14F : 0.05F), 5.0F);
  }
  Row words(ui, Inset(row, ui->Px(8.0F), 0.0F));
  const Rect kind = words.Right(ui->Px(56.0F));
  words.Text(entry.is_folder ? entry.name + "/" : entry.name, Type::kBody, colors.text);
  DrawTextIn(*ui,
             kind,
             entry.is_model ? "model" : (entry.is_folder ? "folder" : ""),
             Type::kSmall,
             entry.is_model ? colors.accent : colors.muted);
  if (area.clicked) {
    ui->Do(PointFile{index});
    ui->Do(TakeFile);
  }
}

void DrawEntries(Ui* ui, const FileChooser& files) {
  const float height = ui->Px(26.0F);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const Rect place{at.x, at.y, ImGui::GetContentRegionAvail().x, ui->Px(338.0F)};
  BeginScroll("files", place);
  const std::string& trouble = files.list.trouble;
  const bool is_reading = files.list.folder != files.folder;
  if (is_reading || !trouble.empty() || files.list.entries.empty()) {
    Pen pen{ui, at.x + ui->Px(8.0F), at.y + ui->Px(8.0F), place.width - ui->Px(16.0F)};
    pen.Paragraph(is_reading        ? "reading …"
                  : trouble.empty() ? files.shows_hidden
                                          ? "Nothing here can be chosen."
                                          : "Nothing here can be chosen. Hidden files are not "
                                            "shown (Ctrl H shows them)."
                                    : trouble,
                  Type::kBody,
                  ui->colors().muted);
    EndScroll();
    return;
  }
  std::int64_t& revealed = ui->memory->revealed_file;
  if (files.pointed != revealed) {
    revealed = files.pointed;
    const float top = height * static_cast<float>(files.pointed);
    const float scroll = ImGui::GetScrollY();
    if (files.pointed >= 0 && (top < scroll || top + height > scroll + place.height)) {
      ImGui::SetScrollY(top - place.height / 2.0F);
    }
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(files.list.entries.size()), height);
  const ImVec2 top = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x - ui->Px(4.0F);
  while (clipper.Step()) {
    Pen pen{ui, top.x, top.y + height * static_cast<float>(clipper.DisplayStart), width};
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      DrawEntry(ui, files, i, pen.Take(height));
    }
  }
  ImGui::SetCursorScreenPos(
      {top.x, top.y + height * static_cast<float>(files.list.entries.size())});
  ImGui::Dummy({1.0F, 0.0F});
  EndScroll();
}

std::string LeftOut(const FolderList& list) {
  if (list.is_incomplete) {
    return "This folder holds more than is looked at: type its path instead.";
  }
  return list.left_out > 0
             ? fmt::format("{} more are not shown: type a path instead.", list.left_out)
             : "";
}

}  // namespace

void DrawFileList(Ui* ui) {
  FileChooser files = ui->state.dialogs.files;
  TakesKeys takes_keys = TakesKeys::kWhenClicked;
  if (ui->memory->popup_appearing) {
    ui->memory->revealed_file = -1;
    ui->memory->file_typed.clear();
  } else {
    takes_keys = TakeKeys(ui, &files);
  }
  Heading(ui, KindOf(files.wanted).question);
  DrawPath(ui, files, takes_keys);
  DrawEntries(ui, files);
  if (const std::string left_out = LeftOut(files.list); !left_out.empty()) {
    Heading(ui, left_out);
  }
  const bool is_export = IsForSaving(files.wanted);
  if (is_export) {
    const std::string name =
        std::filesystem::path(SavePathOf(ui->state, files.wanted)).filename().string();
    if (DialogButton(ui, "Save here", true, !name.empty())) {
      ui->Do(TakeFolder);
    }
    ImGui::SameLine();
  } else if (TakesFolder(files.wanted)) {
    if (DialogButton(ui, "This folder", true, files.list.folder == files.folder)) {
      ui->Do(TakeFolder);
    }
    ImGui::SameLine();
  }
  if (DialogButton(ui, is_export ? "Back" : "Cancel", false)) {
    ui->Do(ClosePopup);
  }
  ImGui::SameLine();
  bool shows_hidden = files.shows_hidden;
  if (ImGui::Checkbox("hidden files", &shows_hidden)) {
    ui->Do(ShowHiddenFiles{shows_hidden});
  }
}

}  // namespace headscope
