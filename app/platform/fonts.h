// The window's fonts, as Dear ImGui objects.
//
// Units    the em is 14 px for text, 22 px for title, 12 px for mono, times the window's scale;
//          ImFont::FontSize is the line height, a fifth to a third more.
// Errors   none: a null font is ImGui's default (ImGui::PushFont(nullptr) accepts it).
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
