// A window with an OpenGL 3.3 core context and its input, through GLFW; only this file, window.cpp
// and imgui_layer.cpp know GLFW.
//
// Errors   kGl: no display, no OpenGL 3.3; each says what to do.
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

// The window is never larger than its screen and lies completely on it.
struct WindowOptions {
  WindowPlacement place = {};  // off every screen: the desktop places it
  bool is_kept = false;        // width and height come from an earlier window: do not scale them
  std::string title = "Headscope";
  double scale = 0.0;   // 0: the monitor's content scale
  bool visible = true;  // false: in tests
};

// What ended a wait; input takes precedence over Wake.
enum class Came { kNothing, kWake, kInput };

class Window {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Window>> Create(const WindowOptions& options);
  virtual ~Window() = default;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // True if the user asked to close it since the last call.
  [[nodiscard]] virtual bool TakeClose() = 0;
  [[nodiscard]] virtual int width() const = 0;  // framebuffer pixels
  [[nodiscard]] virtual int height() const = 0;
  [[nodiscard]] virtual double scale() const = 0;  // of fonts and spacing
  // Makes fonts and spacing so many times as large as at first. Between frames.
  virtual void SetZoom(double zoom) = 0;

  // Returns its position and size; nothing while it is minimised.
  [[nodiscard]] virtual std::optional<WindowPlacement> Placement() const { return {}; }

  // Blocks until an input event, Wake, or the end of the time (negative: no limit). Returns what
  // ended the wait.
  virtual Came WaitEvents(double seconds) = 0;
  virtual void Swap() = 0;
  virtual void Wake() = 0;  // any thread
  // The smallest size to which the desktop allows shrinking, if it supports that and the screen is
  // that large.
  virtual void SetLeastSize(int /*width*/, int /*height*/) {}

  [[nodiscard]] virtual std::vector<std::filesystem::path> TakeDroppedPaths() = 0;
  // Returns keys pressed or repeated since the last call, in order: characters, letters with Ctrl,
  // and the named keys. Keys pressed after a click arrive in the frame after the click's.
  [[nodiscard]] virtual std::vector<KeyPress> TakeKeyPresses() { return {}; }
  // True if input is left over for the next frame.
  [[nodiscard]] virtual bool InputWaits() const { return false; }
  virtual void SetTitle(const std::string& title) = 0;
  virtual void SetClipboard(const std::string& text) = 0;
  // The most recent selection in any window, if the desktop has that; a middle click pastes it.
  [[nodiscard]] virtual std::string PrimarySelection() { return {}; }
  virtual void SetPrimarySelection(const std::string& /*text*/) {}

  // ImGui on this window, with the fonts Inter and JetBrains Mono found by fontconfig, at the
  // window's scale.
  virtual void BeginImGuiFrame() = 0;
  [[nodiscard]] virtual Fonts fonts() const { return {}; }
  virtual void RenderImGui() = 0;  // draws over the framebuffer's contents

 protected:
  Window() = default;
};

}  // namespace headscope
