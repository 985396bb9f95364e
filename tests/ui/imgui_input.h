// Mouse and keys for a Dear ImGui context that has no window: 1.86 reads states, later versions
// take events.
#pragma once

#include <optional>

#include <imgui.h>

#include "app/platform/key_press.h"

namespace headscope::test {

// ImGui has known keys by numbers of its own since 1.87.
inline void MapKeys([[maybe_unused]] ImGuiIO* io) {
#if IMGUI_VERSION_NUM < 18700
  io->KeyMap[ImGuiKey_LeftArrow] = 263;
  io->KeyMap[ImGuiKey_RightArrow] = 262;
  io->KeyMap[ImGuiKey_UpArrow] = 265;
  io->KeyMap[ImGuiKey_DownArrow] = 264;
  io->KeyMap[ImGuiKey_Escape] = 256;
  io->KeyMap[ImGuiKey_Enter] = 257;
  io->KeyMap[ImGuiKey_Backspace] = 259;
  io->KeyMap[ImGuiKey_Space] = 32;
  io->KeyMap[ImGuiKey_Tab] = 258;
  io->KeyMap[ImGuiKey_End] = 269;
#endif
}

inline void SetMouse(float x, float y) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MousePos = {x, y};
#else
  ImGui::GetIO().AddMousePosEvent(x, y);
#endif
}

inline void SetButton(bool down, int button = 0) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MouseDown[button] = down;
#else
  ImGui::GetIO().AddMouseButtonEvent(button, down);
#endif
}

inline void SetShift(bool down) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().KeyShift = down;
#else
  ImGui::GetIO().AddKeyEvent(ImGuiMod_Shift, down);
#endif
}

inline void TurnWheel(float notches) {
#if IMGUI_VERSION_NUM < 18700
  ImGui::GetIO().MouseWheel = notches;
#else
  ImGui::GetIO().AddMouseWheelEvent(0.0F, notches);
#endif
}

// What ImGui's own fields look at.
inline void SetKey(Key key, bool down) {
  ImGuiKey name = ImGuiKey_COUNT;
  if (key == Key::kEscape) {
    name = ImGuiKey_Escape;
  } else if (key == Key::kEnter) {
    name = ImGuiKey_Enter;
  } else if (key == Key::kRight) {
    name = ImGuiKey_RightArrow;
  }
  if (name != ImGuiKey_COUNT) {
#if IMGUI_VERSION_NUM < 18700
    ImGui::GetIO().KeysDown[ImGui::GetIO().KeyMap[name]] = down;
#else
    ImGui::GetIO().AddKeyEvent(name, down);
#endif
  }
}

}  // namespace headscope::test
