// Controls: each has an id, a rectangle and a tooltip.
//
// Source   docs/screens.md, "Type and controls".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/views/kit/ui.h"
#include "core/figure/color_scale.h"

namespace headscope {

struct ButtonLook {
  std::string_view text = {};
  std::string_view key = {};  // shown beside the text: "Ctrl E"
  std::string_view tooltip = {};
  Type type = Type::kBody;
  bool active = false;  // the chosen one of several
  bool enabled = true;
  bool bare = false;  // no fill and no frame until the pointer is on it
  bool primary = false;
};

// The width that a button with this look takes.
[[nodiscard]] float ButtonWidth(const Ui& ui, const ButtonLook& look);
// Whether it was pressed.
bool Button(Ui* ui, const char* id, const Rect& rect, const ButtonLook& look);
// A button below which a popup opens.
void PopupButton(Ui* ui, const char* id, const Rect& rect, const ButtonLook& look, Popup popup);
// A button without any look: what is drawn there is the caller's.
struct Pressed {
  bool clicked = false;
  bool hovered = false;
};
Pressed Area(Ui* ui, const char* id, const Rect& rect, std::string_view tooltip);
// One of several with the same id.
Pressed Area(Ui* ui, const char* id, int which, const Rect& rect, std::string_view tooltip);
// A knob on a line with `count` places, two at least; no knob where `at` is none of them. Returns the
// place that it is dragged to, or -1.
int StepSlider(
    Ui* ui, const char* id, const Rect& rect, std::string_view tooltip, int count, int at);

struct SegmentChoice {
  std::string_view text;
  std::string_view tooltip;
  bool enabled = true;
};
// What lies under the chosen one of several, in toolbars and menus alike.
[[nodiscard]] Rgb ChosenFill(const Ui& ui);
[[nodiscard]] float SegmentsWidth(const Ui& ui, std::span<const SegmentChoice> choices);
// Returns the index chosen now, or -1.
int Segments(
    Ui* ui, const char* id, const Rect& rect, std::span<const SegmentChoice> choices, int chosen);

// The same for an action that puts a value into the state, SetTheme say: choices are in its order.
template <typename SetValue, typename Value>
void Choose(
    Ui* ui, const char* id, const Rect& rect, std::span<const SegmentChoice> choices, Value now) {
  const int pressed = Segments(ui, id, rect, choices, static_cast<int>(now));
  if (pressed >= 0) {
    ui->Do(SetValue{static_cast<Value>(pressed)});
  }
}

// A role's swatch and words in a rounded frame; returns its width. No text: measured only.
float Pill(const Ui& ui, float x, float y, Rgb swatch, std::string_view text);
[[nodiscard]] float PillHeight(const Ui& ui);

// After an item: the words, once the pointer has rested on it.
void TooltipForItem(Ui* ui, std::uint32_t item, bool hovered, std::string_view text);

// Within a tooltip: words in any script, wrapped, as much as stands in two dozen lines.
void TooltipText(Ui* ui, std::string_view text);

// The first characters of a text, and "…" where it has more.
[[nodiscard]] std::string Beginning(std::string_view utf8, std::size_t most_bytes);

// Panels that scroll: an ImGui child without a background. Always pair them. `wheel_is_taken`: by
// what the pointer is on.
void BeginScroll(const char* id,
                 const Rect& rect,
                 bool horizontal = false,
                 bool wheel_is_taken = false);
void EndScroll();

// As large as a picture fits into `room`, at its top left; never enlarged.
[[nodiscard]] Rect FittedInto(const TextPicture& picture, const Rect& room);
// A figure's picture over `place`, with a frame; `key` tells it from other pictures. Within an ImGui
// window.
void DrawPicture(Ui* ui,
                 std::uint64_t key,
                 std::uint64_t revision,
                 const TextPicture& picture,
                 const Rect& place,
                 bool is_dim);

void FillRect(const Ui& ui, const Rect& rect, Rgb color, float radius);
// A colour map from left to right, in so many equal steps.
void FillGradient(const Rect& rect, std::span<const Rgb, kColormapSize> table, int steps);
void FrameRect(const Ui& ui, const Rect& rect, Rgb color, float radius, float thickness = 1.0F);

}  // namespace headscope
