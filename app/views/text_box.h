// A box with one line of text that is always editable; what ImGui's field would harm is shown
// whole.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "app/views/ui.h"

namespace headscope {

struct TextBox {
  std::string name;       // of its widgets
  std::string text;       // what is edited
  bool is_whole = false;  // more than a line of text: shown, not edited
  std::string why_whole;  // tooltip of a text that cannot be edited here
  std::string hint;       // where the text is empty
  Rgb hint_color;
  std::string tooltip;
  std::string note;                                // at the right end: "7 tokens"
  std::string clear_tooltip;                       // of the cross that empties the box; empty: none
  float least_beside_note = 260.0F;                // unscaled; a narrower box has no note
  std::function<Action(const std::string&)> edit;  // what a new text does
};

void DrawTextBox(Ui* ui, const Rect& rect, const TextBox& box, TextBoxMemory* memory);

// One line, well-formed, no character beyond 16 bits, nothing that runs right to left. Any other
// text is shown as it is and not edited here.
[[nodiscard]] bool FieldCanHold(std::string_view utf8);

// Characters that the field's own font does not have: shown as a set text until it is edited.
[[nodiscard]] bool IsPlainForField(std::string_view utf8);

}  // namespace headscope
