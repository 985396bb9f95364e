// Reads the command line and runs the subcommand, or opens the window.
//
// Errors   one line on stderr, `headscope: ...`; exit status 1: failed, 2: wrong usage or not yet
//          supported.
// Threads  the main thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/worker/model_input.h"
#include "core/worker/requests.h"

namespace headscope {

struct WindowCommand {
  std::filesystem::path model;  // or a file; empty: the session's, otherwise the bundled default
  std::optional<InputText> input;
  std::filesystem::path session;
  std::string view;    // a screen's id; empty: the first
  double scale = 0.0;  // 0: the monitor's
  std::filesystem::path screenshot;
  std::filesystem::path frame_log;
  std::filesystem::path preferences;  // empty: the usual file, or none for a screenshot
  OpenModelRequest how = {};          // how to open the model; its folder is not used
};

// A possible value of --view.
struct ViewChoice {
  std::string_view id;
  bool is_ready = true;
};

struct WindowMode {
  std::function<int(const WindowCommand&)> open;
  std::vector<ViewChoice> views;  // empty: a build without a window
};

// Returns the exit status. The window opens if no subcommand is given.
[[nodiscard]] int RunCommandLine(int argc, const char* const* argv, const WindowMode& window);

}  // namespace headscope
