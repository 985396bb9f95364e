// What is typed after the key that opens a text field, before the field can take it: kept, so that
// nobody has to wait for the window. A field that is asked to take the keys does so two or three
// frames later.
//
// Threads  UI thread, within a frame.
#pragma once

#include <string_view>
#include <vector>

#include <imgui.h>

#include "app/platform/key_press.h"

namespace headscope {

class TypedAhead {
 public:
  // A field will take the keys soon; `typed` came after the key that asked for it.
  void AwaitField(std::string_view typed = {});
  // Once a frame, before anything looks at the keys: takes away what came, or gives back what was
  // kept, to ImGui's characters and to `keys`.
  void BeginFrame(std::vector<KeyPress>* keys);
  [[nodiscard]] bool awaits() const { return frames_left_ > 0; }

 private:
  int frames_left_ = 0;  // after which no field is hoped for any more
  std::vector<ImWchar> characters_;
  std::vector<KeyPress> keys_;
};

}  // namespace headscope
