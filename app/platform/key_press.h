// A key as it was pressed, kept until a frame takes it: a state that is looked at once a frame
// would lose what was pressed and let go in between.
//
// Threads  plain value.
#pragma once

namespace headscope {

enum class Key { kLetter, kLeft, kRight, kUp, kDown, kEscape, kEnter, kBackspace };

struct KeyPress {
  Key key = Key::kLetter;
  char letter = 0;  // 'A' to 'Z' by the keyboard's layout; 0 for the named keys
  bool ctrl = false;
  bool shift = false;
};

}  // namespace headscope
