// When to draw: a few frames after anything happened (ImGui needs them to settle), else wait and
// use no processor time.
//
//   if (window.WaitEvents(pacer.WaitSeconds(now)) == Came::kInput) { pacer.Touch(); }
//   if (pacer.ShouldDraw(now)) { ...draw, swap...; pacer.FrameDrawn(); }
//
// Units    seconds of one clock.
// Threads  UI thread.
#pragma once

namespace headscope {

class FramePacer {
 public:
  static constexpr int kActiveFrames = 3;
  static constexpr double kPartSeconds = 0.05;

  // Something came: input, a result, an animation that goes on.
  void Touch() { frames_left_ = kActiveFrames; }
  // A part of a result came and more is on its way: parts are drawn together, as drawing takes the
  // processor from what computes them.
  void TouchSoon(double now) { due_ = due_ < 0.0 ? now + kPartSeconds : due_; }
  void FrameDrawn() {
    frames_left_ -= frames_left_ > 0 ? 1 : 0;
    due_ = kNever;
  }

  [[nodiscard]] bool ShouldDraw(double now) const {
    return frames_left_ > 0 || (due_ >= 0.0 && now >= due_);
  }
  // For Window::WaitEvents: do not wait, or so long, or (negative) without limit.
  [[nodiscard]] double WaitSeconds(double now) const {
    return ShouldDraw(now) ? 0.0 : (due_ >= 0.0 ? due_ - now : kNever);
  }

 private:
  static constexpr double kNever = -1.0;
  int frames_left_ = kActiveFrames;  // the first frames need no event
  double due_ = kNever;
};

}  // namespace headscope
