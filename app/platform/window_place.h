// How large a window is and where it stands, so that all of it is on a screen.
//
// Units    screen coordinates; a window's size and place are without the desktop's frame.
// Threads  plain functions.
#pragma once

#include <optional>
#include <span>

namespace headscope {

struct WindowPlacement {
  int width = 0;
  int height = 0;
  std::optional<int> x = {};  // none: the desktop does not say
  std::optional<int> y = {};
  bool maximized = false;
  friend bool operator==(const WindowPlacement&, const WindowPlacement&) = default;
};

// The part of a screen that no panel of the desktop takes.
struct ScreenArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  double scale = 1.0;  // of what is drawn there
};

// What the desktop draws around a window.
struct WindowFrame {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

// The screen that shows most of the window; none that shows enough to take hold of it, or no place:
// the first. There is one.
[[nodiscard]] const ScreenArea& ScreenOf(const WindowPlacement& wish,
                                         std::span<const ScreenArea> screens);

// No larger than the screen with its frame, and in whole on it. Without a place, or with one on no
// screen, the desktop finds one.
[[nodiscard]] WindowPlacement FitOnScreen(WindowPlacement wish,
                                          const WindowFrame& frame,
                                          std::span<const ScreenArea> screens);

}  // namespace headscope
