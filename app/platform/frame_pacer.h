// Decides when to draw: a few frames after anything happens (ImGui needs them to settle); otherwise
// the program waits and uses no processor time.
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

  // Something happened: input, a result, an animation in progress.
  void Touch() { frames_left_ = kActiveFrames; }
  // Part of a result arrived and more will follow: parts are drawn together, as drawing takes
  // processor time from the computation.
  void TouchSoon(double now) { due_ = due_ < 0.0 ? now + kPartSeconds : due_; }
  void FrameDrawn() {
    frames_left_ -= frames_left_ > 0 ? 1 : 0;
    due_ = kNever;
  }

  [[nodiscard]] bool ShouldDraw(double now) const {
    return frames_left_ > 0 || (due_ >= 0.0 && now >= due_);
  }
  // For Window::WaitEvents: 0 for no wait, seconds to wait, or (negative) no limit.
  [[nodiscard]] double WaitSeconds(double now) const {
    return ShouldDraw(now) ? 0.0 : (due_ >= 0.0 ? due_ - now : kNever);
  }

 private:
  static constexpr double kNever = -1.0;
  int frames_left_ = kActiveFrames;  // the first frames need no event
  double due_ = kNever;
};

}  // namespace headscope
