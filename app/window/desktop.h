// What the window asks the desktop, and what it is told: a file that a person chooses, dark or light.
//
// Errors   none: a desktop that has no such thing answers DesktopHasNoChooser, or nothing.
// Threads  UI thread; the answers are waited for elsewhere, which calls `wake`.
#pragma once

#include <functional>
#include <vector>

#include "app/platform/desktop_theme.h"
#include "app/platform/file_portal.h"
#include "app/state/reducer.h"

namespace headscope {

class Desktop {
 public:
  explicit Desktop(const std::function<void()>& wake) : files_(wake), theme_(wake) {}

  void Ask(const AskDesktop& question);
  // What came since the last time.
  [[nodiscard]] std::vector<Action> Drain();

 private:
  FilePortal files_;
  DesktopTheme theme_;
};

}  // namespace headscope
