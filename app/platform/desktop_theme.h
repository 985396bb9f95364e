// Whether the desktop prefers dark or light, through its portal
// (org.freedesktop.portal.Settings, org.freedesktop.appearance color-scheme), and when that changes.
//
// Errors   none: a desktop without a portal, or without a preference, has no theme.
// Threads  UI thread; one thread of its own waits for changes and calls `wake`. It ends at once where
//          there is no portal.
// Cost     nothing while nothing changes.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "core/figure/theme.h"

namespace headscope {

class DesktopTheme {
 public:
  explicit DesktopTheme(std::function<void()> wake);
  ~DesktopTheme();
  DesktopTheme(const DesktopTheme&) = delete;
  DesktopTheme& operator=(const DesktopTheme&) = delete;

  // What was last said, once: no value where nothing new was; none inside: the desktop has no
  // preference.
  [[nodiscard]] std::optional<std::optional<Theme>> Take();

 private:
  class Listener;
  std::unique_ptr<Listener> listener_;
};

}  // namespace headscope
