// The fonts of the window, as Dear ImGui holds them.
//
// Units    the em is 14 px for text, 22 px for title, 12 px for mono, times the window's scale;
//          ImFont::FontSize is the height of a line, a fifth to a third more.
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
