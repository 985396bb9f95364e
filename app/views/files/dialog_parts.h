// What dialogs that name a file have in common.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/views/kit/text_field.h"

namespace headscope {

struct PathFieldLook {
  std::string_view hint;
  TakesKeys takes_keys = TakesKeys::kWhenClicked;
  const char* button = "Choose …";
  float beside = 96.0F;  // unscaled, left to the button
};
// A path that is typed, or chosen by the button beside it; returns whether it was typed.
bool PathField(Ui* ui,
               const std::string& name,
               std::string* path,
               FileWanted wanted,
               const PathFieldLook& look);

// The buttons of a dialog that writes a file, and what came of it. Returns what was pressed: whether
// to write over a file that is there.
std::optional<bool> SaveButtons(Ui* ui, const SaveDraft& draft, bool can_save);

}  // namespace headscope
