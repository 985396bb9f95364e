// The window's screens against reference pictures: the real application, worker and renderer, drawn
// by OpenGL. A word is a bar as long as its bytes, so that no font has a say in where things stand.
#include <deque>

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>

#include "app/window/application.h"
#include "tests/gl/gl_fixture.h"
#include "tests/monkey/scripted_window.h"
#include "tests/pictures/picture.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"

namespace headscope::test {
namespace {

using monkey::Does;
using monkey::Look;
using monkey::Next;
using monkey::Place;
using monkey::Script;
using monkey::Step;

// Hands everything on to the real renderer, except labels and the texts of fields.
class BarRenderer final : public Renderer {
 public:
  explicit BarRenderer(std::unique_ptr<Renderer> real) : real_(std::move(real)) {}
  MapHandle Upload(std::int64_t rows, std::int64_t cols, std::span<const float> values) override {
    return real_->Upload(rows, cols, values);
  }
  void Release(MapHandle map) override { real_->Release(map); }
  int DrawScene(const Scene& scene, int width, int height) override {
    return real_->DrawScene(scene, width, height);
  }
  Pixels ReadWindow(int width, int height) override { return real_->ReadWindow(width, height); }
  LabelTexture Label(std::string_view utf8, const TextStyle& style) override {
    auto width = static_cast<float>(static_cast<double>(utf8.size()) * style.size_px * 0.55);
    if (style.max_width_px > 0.0) {
      width = std::min(width, static_cast<float>(style.max_width_px));
    }
    const ImFontAtlas* const atlas = ImGui::GetIO().Fonts;
    const ImVec2 white = atlas->TexUvWhitePixel;
    return {.texture = utf8.empty() ? nullptr : atlas->TexID,
            .width = width,
            .height = static_cast<float>(style.size_px * 1.3),
            .u0 = white.x,
            .v0 = white.y,
            .u1 = white.x,
            .v1 = white.y};
  }
  std::vector<LabelTexture> Picture(std::uint64_t /*key*/,
                                    std::uint64_t /*revision*/,
                                    const TextPicture& /*picture*/) override {
    return {};
  }

 private:
  std::unique_ptr<Renderer> real_;
};

// A scripted window that is drawn, and read when its script is over.
class DrawnWindow final : public monkey::ScriptedWindow {
 public:
  DrawnWindow(Place size, float scale, Script script, Renderer* renderer, Pixels* pixels)
      : ScriptedWindow(size, scale, std::move(script), [](const std::string& what) { FAIL(what); }),
        renderer_(renderer),
        pixels_(pixels) {
    ImGui_ImplOpenGL3_Init("#version 330 core");
  }
  ~DrawnWindow() override { ImGui_ImplOpenGL3_Shutdown(); }
  void BeginImGuiFrame() override {
    ImGui_ImplOpenGL3_NewFrame();
    ScriptedWindow::BeginImGuiFrame();
  }
  void RenderImGui() override {
    ScriptedWindow::RenderImGui();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
  }
  void Swap() override { *pixels_ = renderer_->ReadWindow(width(), height()); }

 private:
  Renderer* renderer_;
  Pixels* pixels_;
};

struct Screenful {
  std::string name;
  Place size{1200, 750};
  float scale = 0.9F;
  WindowArguments arguments = {};
  std::u32string keys = {};        // pressed one after the other once all is computed
  std::vector<Place> clicks = {};  // after them; the pointer then leaves the window
  PictureColours colours = {};
};

std::vector<Step> StepsOf(const Screenful& screen) {
  std::vector<Step> steps;
  for (const char32_t letter : screen.keys) {
    steps.push_back({.does = Does::kText, .letter = letter});
  }
  for (const Place& place : screen.clicks) {
    for (const Does does : {Does::kMove, Does::kPress, Does::kRelease}) {
      steps.push_back({.does = does, .x = place.x, .y = place.y});
    }
  }
  if (!screen.clicks.empty()) {
    steps.push_back({.does = Does::kMove, .x = -100.0F, .y = -100.0F});
  }
  return steps;
}

Pixels Draw(const Screenful& screen) {
  static_cast<void>(TestWindow());  // its context is the one that draws
  auto bars = std::make_unique<BarRenderer>(MakeRenderer());
  Pixels pixels;
  bool works = true;
  const std::vector<Step> steps = StepsOf(screen);
  std::size_t done = 0;
  const auto script = [&](double wanted, const Look& /*look*/) -> Next {
    if (works) {
      return wanted == 0.0 ? Next{} : Next{.kind = Next::Kind::kSleep, .step = {}, .seconds = 0.02};
    }
    if (wanted == 0.0) {
      return {};
    }
    if (done == steps.size()) {
      return {.kind = Next::Kind::kClose};
    }
    return {.kind = Next::Kind::kStep, .step = steps[done++]};
  };
  WindowHost host;
  host.window =
      std::make_unique<DrawnWindow>(screen.size, screen.scale, script, bars.get(), &pixels);
  host.renderer = std::move(bars);
  host.watch = [&works](const AppState& /*state*/, bool now) { works = now; };
  const Status status = RunWindowOn(std::move(host), screen.arguments);
  REQUIRE(status.has_value());
  return pixels;
}

WindowArguments Arguments(const char* model) {
  WindowArguments arguments = {};
  arguments.model = SourceFolder() / model;
  arguments.input =
      InputText{.text = "the old sailor told the old sailor a story", .pair = {}, .ids = {}};
  return arguments;
}

std::vector<Screenful> Screens() {
  const WindowArguments probe = Arguments("assets/models/probe");
  WindowArguments counts = probe;
  counts.view = "counts";
  WindowArguments heads = probe;
  heads.view = "heads";
  WindowArguments training = Arguments("assets/models/copy-h4");
  training.view = "heads";
  training.input = InputText{.text = {}, .pair = {}, .ids = {5, 6, 7, 8, 9, 5, 6, 7, 8, 9}};
  WindowArguments compare = probe;
  compare.view = "compare";
  WindowArguments cross = Arguments("tests/golden/data/bart_plain");
  cross.input = InputText{.text = {}, .pair = {}, .ids = {5, 6, 7, 8, 9, 10}};
  cross.input->target_ids = {2, 9, 3, 11};
  return {
      {.name = "screen-inspect", .arguments = probe},
      {.name = "screen-inspect-light",
       .arguments = probe,
       .keys = U"tcvr",
       .colours = {Colormap::kCividis, Theme::kLight}},
      {.name = "screen-inspect-narrow", .size = {700, 490}, .scale = 0.7F, .arguments = probe},
      {.name = "screen-counts", .arguments = counts},
      {.name = "screen-counts-light",
       .size = {700, 490},
       .scale = 0.7F,
       .arguments = counts,
       .keys = U"t",
       .colours = {Colormap::kViridis, Theme::kLight}},
      {.name = "screen-heads", .arguments = heads},
      {.name = "screen-heads-series", .arguments = training, .clicks = {{245.0F, 70.0F}}},
      {.name = "screen-walk", .arguments = probe, .keys = U"w"},
      {.name = "screen-compare-empty", .arguments = compare},
      {.name = "screen-compare", .arguments = compare, .clicks = {{430.0F, 290.0F}}},
      {.name = "screen-cross", .arguments = cross, .keys = U"pp"},
      {.name = "screen-help", .arguments = probe, .keys = U"6"},
      {.name = "screen-flag", .arguments = probe, .keys = U"f"},
      {.name = "screen-models", .arguments = probe, .keys = U"m"},
  };
}

TEST_CASE("screens look as they were approved", "[pictures]") {
  const TempFolder folder;
  for (const char* name : {"HOME",
                           "XDG_DATA_HOME",
                           "XDG_STATE_HOME",
                           "XDG_CONFIG_HOME",
                           "XDG_CACHE_HOME",
                           "HF_HOME"}) {
    setenv(name, folder.path().c_str(), 1);
  }
  std::vector<Screenful> screens = Screens();
  for (Screenful& screen : screens) {
    screen.arguments.session = folder / (screen.name + ".json");  // which opens as it was left
    CHECK(DifferenceToApproved(screen.name, Draw(screen), screen.colours, 0) == "");
  }
}

}  // namespace
}  // namespace headscope::test
