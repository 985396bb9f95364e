// The fonts of the window, as Dear ImGui holds them.
//
// Units    text 14 px, title 22 px, mono 12 px, times the window's scale.
// Errors   none: a null font is ImGui's own (ImGui::PushFont(nullptr) takes it).
// Threads  UI thread.
#pragma once

struct ImFont;

namespace headscope {

struct Fonts {
  ImFont* text = nullptr;   // Inter
  ImFont* title = nullptr;  // Inter, semi-bold
  ImFont* mono = nullptr;   // JetBrains Mono
};

}  // namespace headscope
