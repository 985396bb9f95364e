// The real panels on a real ImGui context, without a window and without OpenGL: scripted mouse and
// keys in, actions through the reducer, and what was drawn to look at.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/views/maps/map_textures.h"
#include "app/views/panels.h"
#include "tests/ui/imgui_input.h"
#include "tests/ui/recording_renderer.h"
#include "tests/unit/state/state_driver.h"

namespace headscope::test {

class PanelDriver {
 public:
  explicit PanelDriver(float width = 1600.0F, float height = 1000.0F, float scale = 1.0F)
      : width_(width), height_(height), scale_(scale), maps_(&renderer_) {
    context_ = ImGui::CreateContext();
    ImGui::SetCurrentContext(context_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.ConfigInputTextCursorBlink = false;
    unsigned char* pixels = nullptr;
    int atlas_width = 0;
    int atlas_height = 0;
    io.Fonts->GetTexDataAsRGBA32(&pixels, &atlas_width, &atlas_height);
    MapKeys(&io);
    SetMouse(-1000.0F, -1000.0F);
  }
  ~PanelDriver() { ImGui::DestroyContext(context_); }
  PanelDriver(const PanelDriver&) = delete;
  PanelDriver& operator=(const PanelDriver&) = delete;

  StateDriver app;
  RecordingRenderer& renderer() { return renderer_; }
  const AppState& state() const { return app.state; }
  const Scene& scene() const { return scene_; }
  const WindowLayout& layout() const { return layout_; }
  ViewMemory& memory() { return memory_; }
  const ImDrawData& drawn() const { return *ImGui::GetDrawData(); }

  // One frame; actions go through the reducer after it, as in the window.
  void Frame() {
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {width_, height_};
    io.DeltaTime = 1.0F / 60.0F;
    now_ += 1.0 / 60.0;
    ImGui::NewFrame();
    maps_.BeginFrame();
    renderer_.labels.clear();
    std::vector<Action> actions;
    layout_ = LayOut({.width = width_,
                      .height = height_,
                      .scale = scale_,
                      .detail_width = app.state.detail_width,
                      .sheet_open = app.state.sheet_open,
                      .has_target = HasTarget(app.state),
                      .presents = app.state.presenting.has_value()});
    Ui ui{.state = app.state,
          .actions = &actions,
          .renderer = &renderer_,
          .maps = &maps_,
          .scene = &scene_,
          .memory = &memory_,
          .keys = std::exchange(keys_, {}),
          .fonts = {},
          .layout = layout_,
          .scale = scale_,
          .now_s = now_};
    DrawWindow(&ui);
    wants_frame_ = ui.wake_in_s == 0.0;
    ImGui::Render();
    last_actions_ = actions.size();
    for (Action& action : actions) {
      app.Do(action);
    }
  }
  void Frames(int count) {
    for (int i = 0; i < count; ++i) {
      Frame();
    }
  }

  void MoveTo(float x, float y) {
    SetMouse(x, y);
    Frames(2);
  }
  void Click(float x, float y) {
    MoveTo(x, y);
    SetButton(true);
    Frames(2);
    SetButton(false);
    Frames(3);
  }
  // Within the time of a double click.
  void ClickTwice(float x, float y) {
    MoveTo(x, y);
    ClickAgain();
    ClickAgain();
  }
  void ClickAgain() {
    SetButton(true);
    Frame();
    SetButton(false);
    Frame();
  }
  void Wheel(float x, float y, float notches) {
    MoveTo(x, y);
    TurnWheel(notches);
    Frames(2);
  }
  void Drag(float x, float y, float dx, float dy) {
    MoveTo(x, y);
    SetButton(true);
    Frame();
    for (int i = 1; i <= 4; ++i) {
      SetMouse(x + dx * static_cast<float>(i) / 4.0F, y + dy * static_cast<float>(i) / 4.0F);
      Frame();
    }
    SetButton(false);
    Frames(2);
  }
  void Type(const std::string& text) {
    for (const char32_t character : Characters(text)) {
      keys_.push_back({.key = Key::kCharacter, .character = character});
      Frame();
    }
    Frame();
  }
  // Three repeats of a key that is held down.
  void Hold(char32_t character) { Hold({.key = Key::kCharacter, .character = character}); }
  void Hold(Key key) { Hold(KeyPress{.key = key}); }
  void Hold(KeyPress press) {
    press.repeats = true;
    for (int i = 0; i < 3; ++i) {
      keys_.push_back(press);
      Frame();
    }
    Frame();
  }
  // All of it, and perhaps a key after it, before the next frame.
  void TypeAtOnce(const std::string& text, std::optional<Key> key = {}) {
    for (const char32_t character : Characters(text)) {
      keys_.push_back({.key = Key::kCharacter, .character = character});
    }
    if (key) {
      keys_.push_back({.key = *key, .letter = 0, .ctrl = false, .shift = false});
    }
    Frame();
  }
  void Press(Key key, bool shift = false) {
    keys_.push_back({.key = key, .letter = 0, .ctrl = false, .shift = shift});
    SetKey(key, true);
    Frame();
    SetKey(key, false);
    Frames(2);
  }
  // For the next frame, whenever that comes.
  void Queue(const KeyPress& press) { keys_.push_back(press); }
  void PressCtrl(char letter, bool shift = false) {
    keys_.push_back({.key = Key::kLetter, .letter = letter, .ctrl = true, .shift = shift});
    Frames(3);
  }

  Field& field(const std::string& name) { return memory_.fields.Find(name); }
  [[nodiscard]] static std::u32string Characters(const std::string& utf8) {
    std::u32string characters;
    for (std::size_t at = 0; at < utf8.size();) {
      const auto first = static_cast<unsigned char>(utf8[at]);
      const std::size_t length = first < 0x80U ? 1 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
      char32_t code = length == 1 ? first : first & (0x7FU >> length);
      for (std::size_t i = 1; i < length; ++i) {
        code = (code << 6U) | (static_cast<unsigned char>(utf8[at + i]) & 0x3FU);
      }
      characters += code;
      at += length;
    }
    return characters;
  }

  // Of the last frame: as long as there are some, more frames come.
  [[nodiscard]] std::size_t last_actions() const { return last_actions_; }
  // The last frame asked for another at once.
  [[nodiscard]] bool wants_frame() const;
  [[nodiscard]] bool Says(const std::string& text) const {
    for (const std::string& label : renderer_.labels) {
      if (label.find(text) != std::string::npos) {
        return true;
      }
    }
    return false;
  }
  [[nodiscard]] const SceneRegion& region(Panel panel) const {
    return scene_.regions[static_cast<std::size_t>(panel)];
  }

 private:
  float width_;
  float height_;
  float scale_;
  double now_ = 1.0;
  bool wants_frame_ = false;
  std::size_t last_actions_ = 0;
  ImGuiContext* context_ = nullptr;
  RecordingRenderer renderer_;
  MapTextures maps_;
  ViewMemory memory_;
  Scene scene_;
  WindowLayout layout_;
  std::vector<KeyPress> keys_;
};

inline bool PanelDriver::wants_frame() const {
  return wants_frame_;
}

}  // namespace headscope::test
