// A window without a screen: Dear ImGui is given what a script does, and what is drawn is looked at
// for numbers that are none.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "app/platform/window.h"
#include "tests/monkey/hands.h"

struct ImGuiContext;

namespace headscope::monkey {

// What the script decides when the application waits for events.
struct Next {
  enum class Kind { kStep, kDraw, kSleep, kClose } kind = Kind::kDraw;
  Step step = {};
  double seconds = 0.0;  // to sleep at most; a call of Wake ends it
};
// `wanted`: the seconds that the application would wait, negative without limit.
// `look` draws its places from the random numbers it is given.
using Look = std::function<Sight(Random*)>;
using Script = std::function<Next(double wanted, const Look& look)>;

class ScriptedWindow : public Window {
 public:
  ScriptedWindow(Place size, float scale, Script script, std::function<void(std::string)> fault);
  ~ScriptedWindow() override;

  [[nodiscard]] bool TakeClose() override { return closes_; }
  [[nodiscard]] int width() const override { return static_cast<int>(size_.x); }
  [[nodiscard]] int height() const override { return static_cast<int>(size_.y); }
  [[nodiscard]] double scale() const override { return static_cast<double>(scale_); }
  void SetZoom(double /*zoom*/) override {}
  Came WaitEvents(double seconds) override;
  void Swap() override {}
  void Wake() override;
  [[nodiscard]] std::vector<std::filesystem::path> TakeDroppedPaths() override;
  [[nodiscard]] std::vector<KeyPress> TakeKeyPresses() override;
  void SetTitle(const std::string& title) override;
  void SetClipboard(const std::string& text) override;
  void BeginImGuiFrame() override;
  void RenderImGui() override;

 private:
  void Perform(const Step& step);
  [[nodiscard]] Sight LookAround(Random* random) const;

  Place size_;
  float scale_;
  Script script_;
  std::function<void(std::string)> fault_;
  ImGuiContext* context_ = nullptr;
  bool closes_ = false;
  std::vector<std::filesystem::path> dropped_;
  std::vector<KeyPress> keys_;
  std::mutex mutex_;
  std::condition_variable condition_;
  bool woken_ = false;
};

}  // namespace headscope::monkey
