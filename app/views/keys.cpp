#include "app/views/keys.h"

#include <algorithm>

#include <imgui.h>

namespace headscope {

bool IsPressed(const Ui& ui, Key key) {
  return std::any_of(
      ui.keys.begin(), ui.keys.end(), [key](const KeyPress& press) { return press.key == key; });
}

bool IsShiftPressed(const Ui& ui, Key key) {
  return std::any_of(ui.keys.begin(), ui.keys.end(), [key](const KeyPress& press) {
    return press.key == key && press.shift;
  });
}

bool IsCtrlPressed(const Ui& ui, char letter) {
  return std::any_of(ui.keys.begin(), ui.keys.end(), [letter](const KeyPress& press) {
    return press.ctrl && press.letter == letter;
  });
}

std::string TakeTypedCharacters() {
  ImGuiIO& io = ImGui::GetIO();
  std::string typed;
  for (const ImWchar character : io.InputQueueCharacters) {
    if (character >= 0x20 && character <= 0x7E) {
      typed += static_cast<char>(character);
    }
  }
  io.InputQueueCharacters.resize(0);
  return typed;
}

bool KeysAreTaken() {
  return ImGui::GetIO().WantTextInput;
}

}  // namespace headscope
