// Dear ImGui on one GLFW window: context, fonts, frames.
//
// Errors   none: fonts that cannot be read are replaced by ImGui's own.
// Threads  UI thread, with the window's context current.
// Cost     the font atlas is built with the first frame.
#pragma once

#include <memory>

#include "app/platform/fonts.h"

struct GLFWwindow;
struct ImGuiContext;

namespace headscope {

class ImGuiLayer {
 public:
  // After the window's own callbacks are set: ImGui calls them after its own.
  ImGuiLayer(GLFWwindow* window, double scale);
  ~ImGuiLayer();
  ImGuiLayer(const ImGuiLayer&) = delete;
  ImGuiLayer& operator=(const ImGuiLayer&) = delete;

  [[nodiscard]] const Fonts& fonts() const { return fonts_; }
  void Begin();
  void Render();

 private:
  struct CharacterRanges;

  ImGuiContext* context_ = nullptr;
  std::unique_ptr<CharacterRanges> ranges_;  // ImGui reads them when it builds the atlas
  Fonts fonts_;
};

}  // namespace headscope
