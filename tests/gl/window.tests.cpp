#include "app/platform/window.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include <imgui.h>

#include "app/platform/frame_log.h"
#include "app/platform/frame_pacer.h"
#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

TEST_CASE("No display is an error that says what to do", "[.][no_display]") {
  const auto window = Window::Create({});
  REQUIRE_FALSE(window.has_value());
  CHECK(window.error().code == ErrorCode::kGl);
  CHECK_THAT(window.error().message, test::Says("no display"));
  CHECK_THAT(window.error().message, test::Says("xvfb-run"));
}

TEST_CASE("Too old an OpenGL is an error with the version found", "[.][old_opengl]") {
  const auto window = Window::Create({});
  REQUIRE_FALSE(window.has_value());
  CHECK(window.error().code == ErrorCode::kGl);
  CHECK_THAT(window.error().message, test::Says("needs OpenGL 3.3 core"));
  CHECK_THAT(window.error().message, test::Says("found OpenGL 3.2"));
}

TEST_CASE("Wake ends waiting from another thread", "[platform][window]") {
  Window& window = TestWindow();
  while (window.WaitEvents(0.02) != Came::kNothing) {
  }
  const auto start = std::chrono::steady_clock::now();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    window.Wake();
  });
  CHECK(window.WaitEvents(20.0) == Came::kWake);
  other.join();
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(10));
  CHECK(window.WaitEvents(0.01) == Came::kNothing);
}

TEST_CASE("Fonts grow with the scale and hold the signs of the panels", "[platform][imgui]") {
  static_cast<void>(TestWindow());  // two windows at once, too
  WindowOptions options;
  options.visible = false;
  options.place = {.width = 400, .height = 300};
  options.scale = GENERATE(1.0, 2.0);
  const auto window = Window::Create(options);
  REQUIRE(window.has_value());
  CHECK((*window)->scale() == options.scale);
  (*window)->BeginImGuiFrame();
  const Fonts fonts = (*window)->fonts();
  REQUIRE(fonts.text != nullptr);
  REQUIRE(fonts.title != nullptr);
  REQUIRE(fonts.mono != nullptr);
  // Digits of JetBrains Mono are 0.6 em wide, Inter's capital H is 0.73 em high.
  const auto scaled = [&](double pixels) { return pixels * options.scale; };
  CHECK(static_cast<double>(fonts.mono->GetCharAdvance('0')) ==
        Approx(scaled(0.6 * 12.0)).margin(0.6));
  const ImFontGlyph* const text = fonts.text->FindGlyph('H');
  CHECK(static_cast<double>(text->Y1 - text->Y0) == Approx(scaled(0.73 * 14.0)).margin(1.1));
  const ImFontGlyph* const title = fonts.title->FindGlyph('H');
  CHECK(static_cast<double>(title->Y1 - title->Y0) == Approx(scaled(0.73 * 22.0)).margin(1.1));
  for (const char32_t sign : U"aZéßΩЖ–—…·×√→←↑↓−▸▾✓✕") {
    CAPTURE(static_cast<unsigned>(sign));
    if (sign != 0) {
      CHECK(fonts.text->FindGlyphNoFallback(static_cast<ImWchar>(sign)) != nullptr);
      CHECK(fonts.mono->FindGlyphNoFallback(static_cast<ImWchar>(sign)) != nullptr);
    }
  }
  (*window)->RenderImGui();
}

TEST_CASE("ImGui draws over the scene and leaves the rest of it", "[platform][imgui]") {
  WindowOptions options;
  options.visible = false;
  options.place = {.width = 400, .height = 300};
  options.scale = 1.0;
  const auto window = Window::Create(options);
  REQUIRE(window.has_value());
  const auto renderer = Renderer::Create();
  REQUIRE(renderer.has_value());
  Scene scene;
  scene.regions.push_back(RegionOf(400, 300));
  for (int frame = 0; frame < 3; ++frame) {
    (*window)->BeginImGuiFrame();
    ImGui::GetForegroundDrawList()->AddRectFilled({50, 60}, {90, 100}, IM_COL32(255, 0, 0, 255));
    CHECK((*renderer)->DrawScene(scene, 400, 300) == (frame == 0 ? 1 : 0));
    (*window)->RenderImGui();
    const Pixels pixels = (*renderer)->ReadWindow(400, 300);
    CHECK(PixelAt(pixels, 70, 80) == Rgb{255, 0, 0});
    CHECK(PixelAt(pixels, 30, 80) == Rgb{14, 17, 22});
    (*window)->Swap();
  }
}

TEST_CASE("Three frames are drawn after an event, then none", "[platform][pacer]") {
  FramePacer pacer;
  for (int frame = 0; frame < 10; ++frame) {
    pacer.FrameDrawn();
  }
  CHECK_FALSE(pacer.ShouldDraw(0.0));
  CHECK(pacer.WaitSeconds(0.0) < 0.0);
  pacer.Touch();
  int drawn = 0;
  while (pacer.ShouldDraw(0.0)) {
    CHECK(pacer.WaitSeconds(0.0) == 0.0);
    pacer.FrameDrawn();
    ++drawn;
  }
  CHECK(drawn == 3);
}

TEST_CASE("Parts of a result are drawn together, a little later", "[platform][pacer]") {
  FramePacer pacer;
  while (pacer.ShouldDraw(0.0)) {
    pacer.FrameDrawn();
  }
  pacer.TouchSoon(1.0);
  pacer.TouchSoon(1.04);
  CHECK_FALSE(pacer.ShouldDraw(1.04));
  CHECK(pacer.WaitSeconds(1.04) == Approx(FramePacer::kPartSeconds - 0.04));
  CHECK(pacer.ShouldDraw(1.06));
  CHECK(pacer.WaitSeconds(1.06) == 0.0);
  pacer.FrameDrawn();
  CHECK_FALSE(pacer.ShouldDraw(2.0));
  CHECK(pacer.WaitSeconds(2.0) < 0.0);
  pacer.TouchSoon(2.0);
  pacer.Touch();  // input does not wait
  CHECK(pacer.ShouldDraw(2.0));
}

TEST_CASE("The frame log has a line per frame", "[platform][frame_log]") {
  const auto path = std::filesystem::temp_directory_path() / "headscope_frame_log_test.csv";
  {
    auto log = FrameLog::Open(path);
    REQUIRE(log.has_value());
    log->TurnBegins();
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    log->TurnEnds();  // without a frame
    log->TurnBegins();
    log->FrameEnds("grid, head");
    log->TurnBegins();
    log->FrameEnds("");
  }
  std::ifstream file(path);
  double seconds = 0.0;
  double milliseconds = 0.0;
  char comma = 0;
  std::string what;
  REQUIRE(file >> seconds >> comma >> milliseconds >> comma);
  std::getline(file, what);
  CHECK_THAT(what, test::Says("grid; head ") && test::Says(" ms of the processor"));
  CHECK(seconds > 0.0);
  CHECK(milliseconds >= 5.0);
  double later = 0.0;
  REQUIRE(file >> later);
  CHECK(later >= seconds);
  std::filesystem::remove(path);

  const auto nowhere = FrameLog::Open("/nowhere/at/all.csv");
  REQUIRE_FALSE(nowhere.has_value());
  CHECK_THAT(nowhere.error().message, test::Says("/nowhere/at/all.csv"));
}

}  // namespace
}  // namespace headscope
