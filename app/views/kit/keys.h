// The keys that shortcuts and fields left over in this frame: what a dialog looks at. Plain letters
// and signs come as typed characters, so they follow the keyboard's layout.
//
// Threads  UI thread, within a frame.
#pragma once

#include <string>

#include "app/platform/key_press.h"
#include "app/views/kit/ui.h"

namespace headscope {

[[nodiscard]] bool IsPressed(const Ui& ui, Key key);
// What was typed, characters from 0x20 to 0x7E only.
[[nodiscard]] std::string TypedCharacters(const Ui& ui);
// Hands the keys of this frame, in their order, to the field that has them and to shortcuts; those
// that neither knows stay in ui->keys.
void HandleKeys(Ui* ui);

}  // namespace headscope
