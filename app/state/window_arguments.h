// How the window is to open: what the command line asks for.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/worker/model_input.h"
#include "core/worker/requests.h"

namespace headscope {

struct WindowArguments {
  std::filesystem::path model;  // or a file; empty: the session's, otherwise the bundled default
  std::optional<InputText> input;
  std::filesystem::path session;
  std::string view = {};  // a screen's id; empty: the first
  double scale = 0.0;     // 0: the display's own
  std::filesystem::path screenshot;
  std::filesystem::path frame_log;
  OpenModelRequest how = {};  // how to open the model; its folder is not used
  // Stores how the window was left. If empty, RunWindow uses the usual file, except for a
  // screenshot, which looks the same wherever it is made; RunWindowOn stores nothing.
  std::filesystem::path preferences = {};
};

}  // namespace headscope
