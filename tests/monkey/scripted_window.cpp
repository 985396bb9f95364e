#include "tests/monkey/scripted_window.h"

#include <chrono>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <imgui.h>

#include "tests/ui/imgui_input.h"

namespace headscope::monkey {
namespace {

constexpr std::size_t kPlacesSeen = 64;

bool IsFinite(const ImVec4& clip) {
  return std::isfinite(clip.x) && std::isfinite(clip.y) && std::isfinite(clip.z) &&
         std::isfinite(clip.w);
}

}  // namespace

ScriptedWindow::ScriptedWindow(Place size,
                               float scale,
                               Script script,
                               std::function<void(std::string)> fault)
    : size_(size),
      scale_(scale),
      script_(std::move(script)),
      fault_(std::move(fault)),
      context_(ImGui::CreateContext()) {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.IniFilename = nullptr;
  io.LogFilename = nullptr;
  io.ConfigInputTextCursorBlink = false;
  unsigned char* pixels = nullptr;
  int width = 0;
  int height = 0;
  io.Fonts->GetTexDataAsRGBA32(&pixels, &width, &height);
  test::MapKeys(&io);
}

ScriptedWindow::~ScriptedWindow() {
  ImGui::DestroyContext(context_);
}

Came ScriptedWindow::WaitEvents(double seconds) {
  const Look look = [this](Random* random) { return LookAround(random); };
  Next next = script_(seconds, look);
  bool stepped = false;
  while (next.kind == Next::Kind::kStep) {
    Perform(next.step);
    stepped = true;
    if (!next.step.at_once) {
      break;
    }
    next = script_(seconds, look);
  }
  closes_ = closes_ || next.kind == Next::Kind::kClose;
  std::unique_lock lock(mutex_);
  if (next.kind == Next::Kind::kSleep && !stepped) {
    condition_.wait_for(
        lock, std::chrono::duration<double>(next.seconds), [this] { return woken_; });
  }
  const bool woken = std::exchange(woken_, false);
  return stepped || closes_ ? Came::kInput : (woken ? Came::kWake : Came::kNothing);
}

void ScriptedWindow::Wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  condition_.notify_one();
}

std::vector<std::filesystem::path> ScriptedWindow::TakeDroppedPaths() {
  return std::exchange(dropped_, {});
}

std::vector<KeyPress> ScriptedWindow::TakeKeyPresses() {
  return std::exchange(keys_, {});
}

void ScriptedWindow::SetTitle(const std::string& title) {
  if (title.empty()) {
    fault_("the window has no title");
  }
}

void ScriptedWindow::SetClipboard(const std::string& text) {
  ImGui::SetClipboardText(text.c_str());
}

void ScriptedWindow::BeginImGuiFrame() {
  ImGui::SetCurrentContext(context_);
  ImGuiIO& io = ImGui::GetIO();
  io.DisplaySize = {size_.x, size_.y};
  io.DeltaTime = 1.0F / 60.0F;
  ImGui::NewFrame();
}

void ScriptedWindow::RenderImGui() {
  ImGui::Render();
  for (const Key key : {Key::kEscape, Key::kEnter, Key::kRight}) {
    test::SetKey(key, false);
  }
  const ImDrawData* drawn = ImGui::GetDrawData();
  for (int list = 0; list < drawn->CmdListsCount; ++list) {
    for (const ImDrawVert& vertex : drawn->CmdLists[list]->VtxBuffer) {
      if (!std::isfinite(vertex.pos.x) || !std::isfinite(vertex.pos.y)) {
        fault_("something is drawn at a place that is no number");
      }
    }
    for (const ImDrawCmd& command : drawn->CmdLists[list]->CmdBuffer) {
      if (!IsFinite(command.ClipRect)) {
        fault_("something is clipped to a rectangle that is none");
      }
    }
  }
}

void ScriptedWindow::Perform(const Step& step) {
  ImGui::SetCurrentContext(context_);
  switch (step.does) {
    case Does::kMove:
      test::SetMouse(step.x, step.y);
      return;
    case Does::kPress:
    case Does::kRelease:
      test::SetButton(step.does == Does::kPress, step.button);
      return;
    case Does::kWheel:
      test::TurnWheel(step.y);
      return;
    case Does::kKey:
      keys_.push_back(step.key);
      test::SetKey(step.key.key, true);
      return;
    case Does::kText:
      keys_.push_back({.key = Key::kCharacter, .character = step.letter});
      return;
    case Does::kDrop:
      dropped_.insert(dropped_.end(), step.paths.begin(), step.paths.end());
      return;
    case Does::kResize:
      size_ = {step.x, step.y};
      return;
    case Does::kRest:
      return;
  }
}

Sight ScriptedWindow::LookAround(Random* random) const {
  Sight sight{.width = size_.x, .height = size_.y, .scale = scale_};
  ImGui::SetCurrentContext(context_);
  const ImDrawData* drawn = ImGui::GetFrameCount() > 0 ? ImGui::GetDrawData() : nullptr;
  if (drawn == nullptr || drawn->TotalVtxCount == 0) {
    return sight;
  }
  // Places come from every list alike: a menu is a small one above many.
  for (std::size_t i = 0; i < kPlacesSeen; ++i) {
    const auto list = Below(random, static_cast<std::size_t>(drawn->CmdListsCount));
    const ImVector<ImDrawVert>& vertices = drawn->CmdLists[static_cast<int>(list)]->VtxBuffer;
    if (vertices.empty()) {
      continue;
    }
    const auto at = Below(random, static_cast<std::size_t>(vertices.Size));
    const ImVec2 place = vertices[static_cast<int>(at)].pos;
    if (place.x >= 0.0F && place.y >= 0.0F && place.x < size_.x && place.y < size_.y) {
      sight.drawn.push_back({place.x, place.y});
    }
  }
  return sight;
}

}  // namespace headscope::monkey
