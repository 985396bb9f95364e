// Popups that the state opens and closes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/views/kit/widgets.h"

namespace headscope {

// Where a popup belongs that no button under the pointer opened.
[[nodiscard]] Rect UsualAnchor(const Ui& ui, Popup popup);

// Opens it at the memory's anchor; what is typed next is for its field, which comes two or three
// frames later.
void OpenForTyping(Ui* ui, Popup popup);

// Wrapped small words over the whole width.
void SmallParagraph(Ui* ui, const std::string& text, Rgb color);

// A row of a menu: a name, and what it is about in smaller words.
bool MenuRow(Ui* ui,
             const char* id,
             const std::string& name,
             const std::string& about,
             bool is_chosen = false);
// A row for each choice. Returns the index of the pressed one, or -1.
int MenuChoices(Ui* ui, const char* id, std::span<const SegmentChoice> choices, int chosen);
// Buttons side by side, in as many lines as they need. Returns the index of the pressed one, or -1.
int DialogChoices(
    Ui* ui, const char* id, std::span<const std::string> names, int chosen, bool enabled = true);
void Heading(Ui* ui, std::string_view text);
// ImGui's button in the look of ours, for dialogs; works with Tab and Enter.
bool DialogButton(Ui* ui, const char* label, bool primary, bool enabled = true);

}  // namespace headscope
