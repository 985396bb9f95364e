// Dear ImGui on one GLFW window: context, fonts, frames.
//
// Errors   none: unreadable fonts are replaced by ImGui's default.
// Threads  UI thread, with the window's context current.
// Cost     the font atlas is built in the first frame.
#pragma once

#include <cstdint>
#include <memory>

#include "app/platform/fonts.h"

struct GLFWwindow;
struct ImGuiContext;

namespace headscope {

class ImGuiLayer {
 public:
  // Create it after the window's own callbacks are set: ImGui calls them after its own.
  ImGuiLayer(GLFWwindow* window, double scale);
  ~ImGuiLayer();
  ImGuiLayer(const ImGuiLayer&) = delete;
  ImGuiLayer& operator=(const ImGuiLayer&) = delete;

  [[nodiscard]] const Fonts& fonts() const { return fonts_; }
  // Fonts of another size. Between frames.
  void SetScale(double scale);
  // `frame_s`: what the last frame took. A press, a release and a press take a frame each, so that two
  // clicks may lie that much further apart.
  void Begin(double frame_s);
  void Render();

  // ImGui 1.90 spreads input over frames, so that a press and release within one frame are not
  // lost: how many events it was given, and how many of them frames have consumed. ImGui 1.86 does
  // not: both are 0.
  [[nodiscard]] std::uint64_t events_given() const;
  [[nodiscard]] std::uint64_t events_taken() const;

 private:
  struct CharacterRanges;
  void AddFonts(double scale);

  ImGuiContext* context_ = nullptr;
  std::unique_ptr<CharacterRanges> ranges_;  // ImGui reads them when building the atlas
  Fonts fonts_;
};

}  // namespace headscope
