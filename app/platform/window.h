// One window with an OpenGL 3.3 core context and its input, through GLFW; the only file besides
// window.cpp and imgui_layer.cpp that knows GLFW.
//
// Errors   kGl: no display, no OpenGL 3.3; each with what to do.
// Threads  UI thread; Wake from any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/platform/fonts.h"
#include "app/platform/key_press.h"
#include "app/platform/window_place.h"
#include "core/base/error.h"

namespace headscope {

// Never larger than the screen that it opens on, and in whole on it.
struct WindowOptions {
  int width = 1600;
  int height = 1000;
  std::optional<int> x;  // none, or off every screen: where the desktop puts it
  std::optional<int> y;
  bool maximized = false;
  bool is_kept = false;  // width and height are those of an earlier window, and not scaled
  std::string title = "Headscope";
  double scale = 0.0;   // 0: the monitor's content scale
  bool visible = true;  // false: tests
};

// What ended a wait; input goes before a call of Wake.
enum class Came { kNothing, kWake, kInput };

class Window {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Window>> Create(const WindowOptions& options);
  virtual ~Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Whether a person asked to close it since the last call.
  [[nodiscard]] virtual bool TakeClose() = 0;
  [[nodiscard]] virtual int width() const = 0;  // framebuffer pixels
  [[nodiscard]] virtual int height() const = 0;
  [[nodiscard]] virtual double scale() const = 0;  // of fonts and spacing

  // Where it stands; nothing while it is an icon.
  [[nodiscard]] virtual std::optional<WindowPlacement> Placement() const { return {}; }

  // Blocks until an input event, Wake, or the time is over (negative: no limit). Returns what came.
  virtual Came WaitEvents(double seconds) = 0;
  virtual void PollEvents() = 0;
  virtual void Swap() = 0;
  virtual void Wake() = 0;  // any thread
  // The desktop lets nobody make it smaller, where it can and the screen is as large.
  virtual void SetLeastSize(int /*width*/, int /*height*/) {}

  [[nodiscard]] virtual std::vector<std::filesystem::path> TakeDroppedPaths() = 0;
  // Pressed or repeated since the last call, in their order: characters, letters with Ctrl, and the
  // named keys. What was pressed after a click comes in the frame after the click's.
  [[nodiscard]] virtual std::vector<KeyPress> TakeKeyPresses() { return {}; }
  // Input is left over for the next frame.
  [[nodiscard]] virtual bool InputWaits() const { return false; }
  virtual void SetTitle(const std::string& title) = 0;
  virtual void SetClipboard(const std::string& text) = 0;
  // What was selected last, in any window, where the desktop has that; a middle click pastes it.
  [[nodiscard]] virtual std::string PrimarySelection() { return {}; }
  virtual void SetPrimarySelection(const std::string& /*text*/) {}

  // ImGui on this window: fonts Inter and JetBrains Mono found by fontconfig, at the window's
  // scale.
  virtual void BeginImGuiFrame() = 0;
  [[nodiscard]] virtual Fonts fonts() const { return {}; }
  virtual void RenderImGui() = 0;  // draws the draw data over what the framebuffer holds

 protected:
  Window() = default;
};

}  // namespace headscope
