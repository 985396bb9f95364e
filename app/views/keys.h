// Keys by name, whatever ImGui's version calls them. Letters and signs come as typed characters, so
// they follow the keyboard's layout.
//
// Threads  UI thread, within a frame.
#pragma once

#include <string>

namespace headscope {

enum class NamedKey { kLeft, kRight, kUp, kDown, kEscape, kEnter, kBackspace };

[[nodiscard]] bool IsPressed(NamedKey key);
[[nodiscard]] bool IsCtrlPressed(char letter);  // 'K'
[[nodiscard]] bool CtrlDown();
[[nodiscard]] bool ShiftDown();
// What was typed since the last frame, characters up to 0x7E only. Taken: no text field sees it
// too.
[[nodiscard]] std::string TakeTypedCharacters();
// Whether a text field takes the keys.
[[nodiscard]] bool KeysAreTaken();

}  // namespace headscope
