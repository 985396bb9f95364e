#include "app/views/files/dialog_parts.h"

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/keys.h"
#include "app/views/kit/popups.h"

namespace headscope {

bool PathField(Ui* ui,
               const std::string& name,
               std::string* path,
               FileWanted wanted,
               const PathFieldLook& look) {
  const DialogFieldLook field{
      .hint = look.hint, .takes_keys = look.takes_keys, .beside = ui->Px(look.beside)};
  const bool is_edited = DialogField(ui, name, path, field);
  ImGui::SameLine();
  ImGui::PushID(name.c_str());
  if (DialogButton(ui, look.button, false)) {
    ui->Do(ChooseFile{wanted});
  }
  ImGui::PopID();
  return is_edited;
}

std::optional<bool> SaveButtons(Ui* ui, const SaveDraft& draft, bool can_save) {
  const ThemeColors& colors = ui->colors();
  std::optional<bool> overwrites;
  if (draft.ask_overwrite) {
    SmallParagraph(
        ui,
        draft.taken.empty() ? fmt::format("{} is there already.", draft.path) : draft.taken,
        colors.text);
    if (DialogButton(ui, "Overwrite", true)) {
      overwrites = true;
    }
  } else if (DialogButton(ui, "Save", true, can_save) ||
             (IsPressed(*ui, Key::kEnter) && can_save && draft.done.empty())) {
    overwrites = false;
  }
  ImGui::SameLine();
  if (DialogButton(ui, draft.done.empty() ? "Cancel" : "Close", false)) {
    ui->Do(ClosePopup);
  }
  if (draft.is_writing) {
    SmallParagraph(ui, draft.progress.empty() ? "writing …" : draft.progress, colors.muted);
  } else if (!draft.done.empty()) {
    SmallParagraph(ui, "Saved " + draft.done, colors.text);
  } else if (!draft.fault.empty()) {
    SmallParagraph(ui, draft.fault, colors.text);
  }
  return overwrites;
}

}  // namespace headscope
