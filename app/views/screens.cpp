#include "app/views/screens.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <imgui.h>

namespace headscope {
namespace {

constexpr float kThick = 1.5F;

}  // namespace

#define HEADSCOPE_ENTRY(name) extern const Screen k##name##Screen;
#include "registry/screens.inc"
#undef HEADSCOPE_ENTRY

std::span<const Screen* const> AllScreens() {
#define HEADSCOPE_ENTRY(name) &k##name##Screen,
  static const auto kScreens = [] {
    std::array all = {
#include "registry/screens.inc"
    };
    std::ranges::sort(all, {}, [](const Screen* screen) { return screen->kind.place; });
    return all;
  }();
#undef HEADSCOPE_ENTRY
  return kScreens;
}

const Screen& ScreenNamed(std::string_view id) {
  const auto all = AllScreens();
  const auto found = std::ranges::find(all, id, [](const Screen* each) { return each->kind.id; });
  return found != all.end() ? **found : *all.front();
}

const ScreenKind* FindScreenKind(std::string_view id) {
  const ScreenKind& kind = ScreenNamed(id).kind;
  return kind.id == id ? &kind : nullptr;
}

const Screen& CurrentScreen(const AppState& state) {
  const auto all = AllScreens();
  const auto found =
      std::ranges::find(all, state.screen, [](const Screen* each) { return &each->kind; });
  return found != all.end() ? **found : *all.front();
}

std::string KeysOf(const ScreenKind& screen) {
  return fmt::format("{}", fmt::join(screen.keys, " or "));
}

std::string NameAndKeys(std::string_view id) {
  const ScreenKind& screen = ScreenNamed(id).kind;
  return fmt::format("{} ({})", screen.name, KeysOf(screen));
}

IconPen::IconPen(const Ui& ui, float x, float y, std::uint32_t ink)
    : ui_(ui), x_(x), y_(y), ink_(ink) {}

ImVec2 IconPen::At(float x, float y) const {
  return {x_ + x * ui_.scale, y_ + y * ui_.scale};
}

void IconPen::Line(float x0, float y0, float x1, float y1) const {
  ImGui::GetWindowDrawList()->AddLine(At(x0, y0), At(x1, y1), ink_, kThick * ui_.scale);
}

void IconPen::Frame(float left, float top, float right, float bottom, float rounding) const {
  ImGui::GetWindowDrawList()->AddRect(
      At(left, top), At(right, bottom), ink_, rounding * ui_.scale, 0, kThick * ui_.scale);
}

void IconPen::Fill(float left, float top, float right, float bottom) const {
  ImGui::GetWindowDrawList()->AddRectFilled(At(left, top), At(right, bottom), ink_, ui_.scale);
}

void IconPen::Triangle(float x0, float y0, float x1, float y1, float x2, float y2) const {
  ImGui::GetWindowDrawList()->AddTriangleFilled(At(x0, y0), At(x1, y1), At(x2, y2), ink_);
}

void IconPen::Dot(float x, float y, float radius) const {
  ImGui::GetWindowDrawList()->AddCircleFilled(At(x, y), radius * ui_.scale, ink_);
}

void IconPen::Hook(
    float x, float y, float radius, float from, float to, float end_x, float end_y) const {
  constexpr int kSteps = 16;
  ImDrawList* const list = ImGui::GetWindowDrawList();
  list->PathArcTo(At(x, y), radius * ui_.scale, from, to, kSteps);
  list->PathLineTo(At(end_x, end_y));
  list->PathStroke(ink_, 0, kThick * ui_.scale);
}

}  // namespace headscope
