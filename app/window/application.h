// The window mode of the program: window, worker, state and views, and the loop that connects them.
//
// Errors   whatever prevents opening the window (no display, no OpenGL 3.3); with `screenshot`,
//          whatever prevents computing or saving the picture.
// Threads  the caller's thread is the UI thread; there is one compute worker in addition.
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

// Returns when the window is closed (or the screenshot is saved).
[[nodiscard]] Status RunWindow(const WindowArguments& arguments);

// The window and renderer to use, and an observer: tests bring their own.
struct WindowHost {
  std::unique_ptr<Window> window;
  std::unique_ptr<Renderer> renderer;
  // Called before each wait for events; `works`: something is in progress. May be empty.
  std::function<void(const AppState& state, bool works)> watch = {};
  bool asks_desktop = false;  // use the desktop's file chooser
};
[[nodiscard]] Status RunWindowOn(WindowHost host, const WindowArguments& arguments);

}  // namespace headscope
