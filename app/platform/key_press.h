// A key press or a typed character, queued in order until a frame takes it: polling the keyboard
// once per frame would miss keys that are pressed and released in between.
#pragma once

namespace headscope {

enum class Key {
  kLetter,     // with Ctrl, by the keyboard's layout
  kCharacter,  // typed or composed text
  kLeft,
  kRight,
  kUp,
  kDown,
  kHome,
  kEnd,
  kPageUp,
  kPageDown,
  kEscape,
  kEnter,
  kTab,
  kBackspace,
  kDelete,
  kInsert,
  kF5
};

struct KeyPress {
  Key key = Key::kLetter;
  char letter = 0;  // 'A' to 'Z' for kLetter; otherwise 0
  bool ctrl = false;
  bool shift = false;
  bool alt = false;
  char32_t character = 0;  // for kCharacter
  bool repeats = false;    // the key is held down, and this is not its first press
};

}  // namespace headscope
