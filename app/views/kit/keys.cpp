#include "app/views/kit/keys.h"

#include <algorithm>

namespace headscope {

bool IsPressed(const Ui& ui, Key key) {
  return std::any_of(
      ui.keys.begin(), ui.keys.end(), [key](const KeyPress& press) { return press.key == key; });
}

std::string TypedCharacters(const Ui& ui) {
  std::string typed;
  for (const KeyPress& press : ui.keys) {
    if (press.key == Key::kCharacter && press.character >= 0x20 && press.character <= 0x7E) {
      typed += static_cast<char>(press.character);
    }
  }
  return typed;
}

}  // namespace headscope
