// The keys of this frame, from the window's own queue. Plain letters and signs come as typed
// characters, so they follow the keyboard's layout.
//
// Threads  UI thread, within a frame.
#pragma once

#include <string>

#include "app/platform/key_press.h"
#include "app/views/ui.h"

namespace headscope {

[[nodiscard]] bool IsPressed(const Ui& ui, Key key);
[[nodiscard]] bool IsShiftPressed(const Ui& ui, Key key);
[[nodiscard]] bool IsCtrlPressed(const Ui& ui, char letter);  // 'K'
// What was typed since the last frame, characters up to 0x7E only. Taken: no text field sees it
// too.
[[nodiscard]] std::string TakeTypedCharacters();
// Whether a text field takes the keys.
[[nodiscard]] bool KeysAreTaken();

}  // namespace headscope
