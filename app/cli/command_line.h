// Reads the command line and runs the subcommand, or opens the window.
//
// Errors   one line on stderr, `headscope: ...`; exit status 1: failed, 2: wrong usage or not yet
//          supported.
// Threads  the main thread.
#pragma once

#include <functional>
#include <vector>

#include "app/cli/window_options.h"
#include "app/state/window_arguments.h"

namespace headscope {

struct WindowMode {
  std::function<int(const WindowArguments&)> open;
  ViewChoices views;  // empty: a build without a window
};

// Returns the exit status. The window opens if no subcommand is given.
[[nodiscard]] int RunCommandLine(int argc, const char* const* argv, const WindowMode& window);

}  // namespace headscope
