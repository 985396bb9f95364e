#include "app/platform/window_place.h"

#include <algorithm>
#include <cstdint>

namespace headscope {
namespace {

// Returns how much of a window a screen shows, in square pixels; 0: too little to grab.
std::int64_t Shown(const WindowPlacement& wish, const ScreenArea& screen) {
  constexpr int kLeast = 100;
  if (!wish.x || !wish.y) {
    return 0;
  }
  const int across =
      std::min(*wish.x + wish.width, screen.x + screen.width) - std::max(*wish.x, screen.x);
  const int down =
      std::min(*wish.y + wish.height, screen.y + screen.height) - std::max(*wish.y, screen.y);
  return across >= kLeast && down >= kLeast ? std::int64_t{across} * down : 0;
}

// Moves `at` so that the size fits between `first` and `first + room`.
int Within(int at, int size, int first, int room) {
  return std::clamp(at, first, std::max(first, first + room - size));
}

}  // namespace

const ScreenArea& ScreenOf(const WindowPlacement& wish, std::span<const ScreenArea> screens) {
  return *std::ranges::max_element(
      screens, {}, [&wish](const ScreenArea& screen) { return Shown(wish, screen); });
}

WindowPlacement FitOnScreen(WindowPlacement wish,
                            const WindowFrame& frame,
                            std::span<const ScreenArea> screens) {
  const ScreenArea& screen = ScreenOf(wish, screens);
  const int wide = screen.width - frame.left - frame.right;
  const int high = screen.height - frame.top - frame.bottom;
  wish.width = wide > 0 ? std::min(wish.width, wide) : wish.width;
  wish.height = high > 0 ? std::min(wish.height, high) : wish.height;
  if (Shown(wish, screen) == 0) {
    wish.x.reset();
    wish.y.reset();
    return wish;
  }
  wish.x = Within(*wish.x, wish.width, screen.x + frame.left, wide);
  wish.y = Within(*wish.y, wish.height, screen.y + frame.top, high);
  return wish;
}

}  // namespace headscope
