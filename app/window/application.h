// The window mode of the program: window, worker, state and views, and the loop that connects them.
//
// Errors   whatever prevents opening the window (no display, no OpenGL 3.3); with `screenshot`,
//          whatever prevents computing or saving the picture.
// Threads  the caller's thread is the UI thread; there is one compute worker in addition.
// Cost     no processor time while nothing happens.
#pragma once

#include <functional>
#include <memory>

#include "app/platform/window.h"
#include "app/render/renderer.h"
#include "app/state/app_state.h"
#include "app/state/window_arguments.h"
#include "core/base/error.h"

namespace headscope {

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
