// Computes a window's size and position so that all of it is on a screen.
//
// Units    screen coordinates; a window's size and position exclude the desktop's frame.
#pragma once

#include <optional>
#include <span>

namespace headscope {

struct WindowPlacement {
  int width = 1600;
  int height = 1000;
  std::optional<int> x = {};  // none: the desktop decides, or does not say
  std::optional<int> y = {};
  bool maximized = false;
  friend bool operator==(const WindowPlacement&, const WindowPlacement&) = default;
};

// The part of a screen that is not covered by the desktop's panels.
struct ScreenArea {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
  double scale = 1.0;  // for drawing there
};

// What the desktop draws around a window.
struct WindowFrame {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

// Returns the screen that shows most of the window; the first one if no screen shows enough to grab
// it, or if it has no position. There is at least one screen.
[[nodiscard]] const ScreenArea& ScreenOf(const WindowPlacement& wish,
                                         std::span<const ScreenArea> screens);

// Makes the window fit the screen including its frame, completely on it. Without a position, or
// with one on no screen, the desktop chooses.
[[nodiscard]] WindowPlacement FitOnScreen(WindowPlacement wish,
                                          const WindowFrame& frame,
                                          std::span<const ScreenArea> screens);

}  // namespace headscope
