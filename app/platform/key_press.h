// A key or a character as it was pressed, kept in order until a frame takes it: a state that is
// looked at once a frame would lose what was pressed and let go in between.
//
// Threads  plain value.
#pragma once

namespace headscope {

enum class Key {
  kLetter,     // with Ctrl, by the keyboard's layout
  kCharacter,  // text as it was typed or composed
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
  kInsert
};

struct KeyPress {
  Key key = Key::kLetter;
  char letter = 0;  // 'A' to 'Z' of a kLetter; 0 for the others
  bool ctrl = false;
  bool shift = false;
  char32_t character = 0;  // of a kCharacter
};

}  // namespace headscope
