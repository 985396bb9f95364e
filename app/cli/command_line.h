// Reads the command line and runs the subcommand, or opens the window.
//
// Errors   one line on stderr, `headscope: ...`; exit status 1: failed, 2: wrong usage or not yet
//          supported.
// Threads  the main thread.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "app/state/window_arguments.h"

namespace headscope {

// A possible value of --view.
struct ViewChoice {
  std::string_view id;
  bool is_ready = true;
};

struct WindowMode {
  std::function<int(const WindowArguments&)> open;
  std::vector<ViewChoice> views;  // empty: a build without a window
};

// Returns the exit status. The window opens if no subcommand is given.
[[nodiscard]] int RunCommandLine(int argc, const char* const* argv, const WindowMode& window);

}  // namespace headscope
