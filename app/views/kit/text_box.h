// A box with a line of text that is always there to be edited, and a few words at its right end.
#pragma once

#include <functional>
#include <string>

#include "app/views/kit/ui.h"

namespace headscope {

inline constexpr const char* kSentenceField = "sentence";
inline constexpr const char* kTargetField = "target";

struct TextBox {
  std::string name;       // of its field
  std::string_view text;  // what is edited
  std::string hint;       // where the text is empty
  Rgb hint_color;
  std::string tooltip;
  std::string note;  // at the right end: "7 tokens"
  std::string note_tooltip = {};
  std::string clear_tooltip;                       // of the cross that empties the box; empty: none
  float least_beside_note = 260.0F;                // unscaled; a narrower box has no note
  std::function<Action(const std::string&)> edit;  // what a new text does
};

void DrawTextBox(Ui* ui, const Rect& rect, const TextBox& box);

}  // namespace headscope
