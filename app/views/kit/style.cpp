#include "app/views/kit/style.h"

#include <imgui.h>

#include "core/figure/theme.h"

namespace headscope {
namespace {

ImVec4 ToVec(Rgb color, float alpha = 1.0F) {
  return {static_cast<float>(color.r) / 255.0F,
          static_cast<float>(color.g) / 255.0F,
          static_cast<float>(color.b) / 255.0F,
          alpha};
}

}  // namespace

void ApplyStyle(Theme theme, float scale) {
  ImGuiStyle style;
  style.WindowPadding = {12.0F, 10.0F};
  style.FramePadding = {10.0F, 6.0F};
  style.ItemSpacing = {8.0F, 8.0F};
  style.WindowRounding = 7.0F;
  style.ChildRounding = 0.0F;
  style.FrameRounding = 7.0F;
  style.PopupRounding = 7.0F;
  style.ScrollbarRounding = 7.0F;
  style.GrabRounding = 7.0F;
  style.ScrollbarSize = 10.0F;
  style.WindowBorderSize = 1.0F;
  style.PopupBorderSize = 1.0F;
  style.FrameBorderSize = 1.0F;
  style.ScaleAllSizes(scale);
  style.WindowBorderSize = 1.0F;
  style.PopupBorderSize = 1.0F;
  style.FrameBorderSize = 1.0F;
  style.AntiAliasedLinesUseTex = true;

  const ThemeColors& colors = ColorsOf(theme);
  ImVec4* out = style.Colors;
  out[ImGuiCol_Text] = ToVec(colors.text);
  out[ImGuiCol_TextDisabled] = ToVec(colors.dim);
  out[ImGuiCol_WindowBg] = ToVec(colors.panel);
  out[ImGuiCol_ChildBg] = ToVec(colors.panel, 0.0F);
  out[ImGuiCol_PopupBg] = ToVec(colors.panel);
  out[ImGuiCol_Border] = ToVec(colors.line);
  out[ImGuiCol_FrameBg] = ToVec(colors.background);
  out[ImGuiCol_FrameBgHovered] = ToVec(colors.background);
  out[ImGuiCol_FrameBgActive] = ToVec(colors.background);
  out[ImGuiCol_ScrollbarBg] = ToVec(colors.panel, 0.0F);
  out[ImGuiCol_ScrollbarGrab] = ToVec(colors.line);
  out[ImGuiCol_ScrollbarGrabHovered] = ToVec(colors.dim);
  out[ImGuiCol_ScrollbarGrabActive] = ToVec(colors.muted);
  out[ImGuiCol_Button] = ToVec(colors.raised);
  out[ImGuiCol_ButtonHovered] = ToVec(colors.line);
  out[ImGuiCol_ButtonActive] = ToVec(colors.line);
  out[ImGuiCol_Header] = ToVec(colors.raised);
  out[ImGuiCol_HeaderHovered] = ToVec(colors.raised);
  out[ImGuiCol_HeaderActive] = ToVec(colors.line);
  out[ImGuiCol_CheckMark] = ToVec(colors.accent);
  out[ImGuiCol_Separator] = ToVec(colors.line);
  out[ImGuiCol_TextSelectedBg] = ToVec(colors.accent, 0.35F);
  out[ImGuiCol_NavHighlight] = ToVec(colors.accent);
  out[ImGuiCol_ModalWindowDimBg] = ToVec(colors.background, 0.0F);
  ImGui::GetStyle() = style;
}

}  // namespace headscope
