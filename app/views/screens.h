// The screens, one file each in app/views/screens. The rail, the keys, the help, the window and
// --view find them here, and nowhere else.
//
// A new screen is one file there: NAME.cpp defines `const Screen kNameScreen`.
//
// Threads  UI thread; the list is constant.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/state/screen.h"
#include "app/views/help/words.h"
#include "app/views/kit/ui.h"

struct ImVec2;

namespace headscope {

// A pen for icons of 20 x 20 unscaled pixels, from -10 to 10 around their middle.
class IconPen {
 public:
  IconPen(const Ui& ui, float x, float y, std::uint32_t ink);

  void Line(float x0, float y0, float x1, float y1) const;
  void Frame(float left, float top, float right, float bottom, float rounding) const;
  void Fill(float left, float top, float right, float bottom) const;
  void Triangle(float x0, float y0, float x1, float y1, float x2, float y2) const;
  void Dot(float x, float y, float radius) const;
  // An arc from one angle to another (clockwise, 0 at the right), and on to a point.
  void Hook(float x, float y, float radius, float from, float to, float end_x, float end_y) const;

 private:
  [[nodiscard]] ImVec2 At(float x, float y) const;  // in the window

  const Ui& ui_;
  float x_;
  float y_;
  std::uint32_t ink_;
};

struct Screen {
  ScreenKind kind;
  void (*icon)(const IconPen& pen) = nullptr;
  // Over the body; returns its height. Null: the screen has none.
  float (*toolbar)(Ui* ui, const Rect& area) = nullptr;
  // Drawn once there are maps to show, or always where the subject is nothing.
  void (*body)(Ui* ui, const Rect& area) = nullptr;
  void (*detail)(Ui* ui) = nullptr;  // the panel at the right
  // A letter, or another key, that is the screen's own; whether it was one. Null: it has none.
  bool (*take_letter)(Ui* ui, char letter) = nullptr;
  bool (*take_key)(Ui* ui, const KeyPress& press) = nullptr;
  HelpChapter (*words)() = nullptr;  // that it adds to the help. Null: none of its own
};

// As they stand in the rail.
[[nodiscard]] std::span<const Screen* const> AllScreens();
// The screen of that id; the first, where there is none.
[[nodiscard]] const Screen& ScreenNamed(std::string_view id);
// Null: there is none of that id.
[[nodiscard]] const ScreenKind* FindScreenKind(std::string_view id);
// The state's; the first, before one is chosen.
[[nodiscard]] const Screen& CurrentScreen(const AppState& state);
// "6 or ?"; empty: no key opens it.
[[nodiscard]] std::string KeysOf(const ScreenKind& screen);
// "Counts (2)", for sentences that send a reader there.
[[nodiscard]] std::string NameAndKeys(std::string_view id);

}  // namespace headscope
