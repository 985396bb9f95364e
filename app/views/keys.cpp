#include "app/views/keys.h"

#include <imgui.h>

namespace headscope {
namespace {

ImGuiKey KeyOf(NamedKey key) {
  switch (key) {
    case NamedKey::kLeft:
      return ImGuiKey_LeftArrow;
    case NamedKey::kRight:
      return ImGuiKey_RightArrow;
    case NamedKey::kUp:
      return ImGuiKey_UpArrow;
    case NamedKey::kDown:
      return ImGuiKey_DownArrow;
    case NamedKey::kEscape:
      return ImGuiKey_Escape;
    case NamedKey::kEnter:
      return ImGuiKey_Enter;
    case NamedKey::kBackspace:
      return ImGuiKey_Backspace;
  }
  return ImGuiKey_Escape;
}

}  // namespace

#if IMGUI_VERSION_NUM >= 18700
bool IsPressed(NamedKey key) {
  return ImGui::IsKeyPressed(KeyOf(key));
}
bool IsCtrlPressed(char letter) {
  return ImGui::GetIO().KeyCtrl &&
         ImGui::IsKeyPressed(static_cast<ImGuiKey>(ImGuiKey_A + (letter - 'A')), false);
}
#else
bool IsPressed(NamedKey key) {
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(KeyOf(key)));
}
// Before 1.87 keys are the platform's own numbers, and GLFW's letters are ASCII.
bool IsCtrlPressed(char letter) {
  return ImGui::GetIO().KeyCtrl && ImGui::IsKeyPressed(letter, false);
}
#endif

bool CtrlDown() {
  return ImGui::GetIO().KeyCtrl;
}

bool ShiftDown() {
  return ImGui::GetIO().KeyShift;
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
