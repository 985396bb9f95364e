// A field of text, drawn: any script, caret, selection, undo, clipboard.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/views/kit/ui.h"

namespace headscope {

// A field in a popup takes the keys so when the popup opens, later when it is clicked.
[[nodiscard]] inline TakesKeys WhenOpened(const Ui& ui, TakesKeys takes_keys) {
  return ui.memory->popup_appearing ? takes_keys : TakesKeys::kWhenClicked;
}

struct FieldLook {
  std::string_view hint = {};  // where the text is empty
  std::optional<Rgb> hint_color = {};
  std::string_view tooltip = {};
  Type type = Type::kBody;
  TextRules rules = {};
  TakesKeys takes_keys = TakesKeys::kWhenClicked;
  bool in_dialog = false;
  bool shows_end = false;  // of a text that is longer than the field, while it has not the keys
  float pad = 12.0F;       // unscaled
};

// Names are the window's own: one field each. Returns the text when a person has changed it.
[[nodiscard]] std::optional<std::string> DrawField(Ui* ui,
                                                   const std::string& name,
                                                   const Rect& rect,
                                                   std::string_view text,
                                                   const FieldLook& look);

struct DialogFieldLook {
  std::string_view hint = {};
  TakesKeys takes_keys = TakesKeys::kWhenClicked;
  int lines = 1;        // high; more than one: the text may have lines
  float beside = 0.0F;  // pixels that stay free at its right
  bool shows_end = false;
};
// In a popup, as wide as there is room; returns whether `text` was changed.
bool DialogField(Ui* ui, const std::string& name, std::string* text, const DialogFieldLook& look);

}  // namespace headscope
