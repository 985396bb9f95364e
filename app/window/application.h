// The window mode of the program: window, worker, state and views, and the loop that joins them.
//
// Errors   what keeps the window from opening (no display, no OpenGL 3.3); with `screenshot`, what
//          kept the picture from being computed or saved.
// Threads  the UI thread is the caller's; one compute worker beside it.
// Cost     no processor time while nothing happens.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "app/platform/window.h"
#include "app/render/renderer.h"
#include "app/state/app_state.h"
#include "core/base/error.h"

namespace headscope {

struct WindowArguments {
  std::filesystem::path model;  // or a file; empty: the session's, else the bundled default
  std::optional<InputText> input;
  std::filesystem::path session;
  std::string view = {};  // a screen's id; empty: the first
  double scale = 0.0;     // 0: the display's own
  std::filesystem::path screenshot;
  std::filesystem::path frame_log;
  OpenModelRequest how = {};  // the model is opened; its folder is not used
  // Where it is kept how the window was left. Empty: RunWindow takes the usual file, but for a
  // screenshot, which looks the same wherever it is made; RunWindowOn keeps nothing.
  std::filesystem::path preferences = {};
};

// Returns when the window is closed (or the screenshot is saved).
[[nodiscard]] Status RunWindow(const WindowArguments& arguments);

// What the window is drawn on, and who looks on: tests bring their own.
struct WindowHost {
  std::unique_ptr<Window> window;
  std::unique_ptr<Renderer> renderer;
  // Before each wait for events; `works`: something is under way. May be empty.
  std::function<void(const AppState& state, bool works)> watch = {};
  bool asks_desktop = false;  // for its file chooser
};
[[nodiscard]] Status RunWindowOn(WindowHost host, const WindowArguments& arguments);

}  // namespace headscope
