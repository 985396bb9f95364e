// When to draw: a few frames after anything happened (ImGui needs them to settle), else wait and
// use no processor time.
//
//   if (window.WaitEvents(pacer.WaitSeconds())) { pacer.Touch(); }
//   if (pacer.ShouldDraw()) { ...draw, swap...; pacer.FrameDrawn(); }
//
// Threads  UI thread.
#pragma once

namespace headscope {

class FramePacer {
 public:
  static constexpr int kActiveFrames = 3;

  // Something came: input, a result, an animation that goes on.
  void Touch() { frames_left_ = kActiveFrames; }
  void FrameDrawn() { frames_left_ -= frames_left_ > 0 ? 1 : 0; }

  [[nodiscard]] bool ShouldDraw() const { return frames_left_ > 0; }
  // For Window::WaitEvents: do not wait, or wait without limit.
  [[nodiscard]] double WaitSeconds() const { return ShouldDraw() ? 0.0 : -1.0; }

 private:
  int frames_left_ = kActiveFrames;  // the first frames need no event
};

}  // namespace headscope
