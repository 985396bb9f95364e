// Frame times in software, printed: run by name ([speed]) when drawing is worked on.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <epoxy/gl.h>
#include <imgui.h>

#include "tests/gl/gl_fixture.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

double Clock(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

struct Times {
  double wall = 0.0;
  double processor = 0.0;  // of all threads: software drawing uses several
};

Times Measure(const std::function<void()>& work) {
  const double processor = Clock(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = Clock(CLOCK_MONOTONIC);
  work();
  return {Clock(CLOCK_MONOTONIC) - wall, Clock(CLOCK_PROCESS_CPUTIME_ID) - processor};
}

void Print(const char* name, const Times& times) {
  std::printf("  %-28s %7.2f ms, processor %7.2f ms\n", name, times.wall, times.processor);
}

void Print(const char* name, int times, const std::function<void(int)>& work) {
  std::vector<double> wall;
  std::vector<double> processor;
  for (int time = 0; time < times; ++time) {
    const Times one = Measure([&] { work(time); });
    wall.push_back(one.wall);
    processor.push_back(one.processor);
  }
  std::sort(wall.begin(), wall.end());
  std::sort(processor.begin(), processor.end());
  Print(name, {wall[wall.size() / 2], processor[processor.size() / 2]});
}

// 144 thumbnails, as in the grid, and one large map beside them.
Scene GridScene(Renderer& renderer, std::int64_t cells, float side) {
  Scene scene;
  SceneRegion grid;
  grid.rect = {64.0F, 56.0F, 976.0F, 914.0F};
  grid.background = {14, 17, 22};
  for (int head = 0; head < 144; ++head) {
    std::vector<float> values(static_cast<std::size_t>(cells * cells));
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
      values[cell] =
          static_cast<float>((cell * 7919U + static_cast<std::size_t>(head)) % 1000U) / 1000.0F;
    }
    MapPlacement placement;
    placement.map = renderer.Upload(cells, cells, values);
    placement.target = {100.0F + static_cast<float>(head % 12) * 76.0F,
                        100.0F + static_cast<float>(head / 12) * 70.0F,
                        side,
                        side};
    grid.maps.push_back(placement);
  }
  SceneRegion one;
  one.rect = {1040.0F, 56.0F, 560.0F, 914.0F};
  one.background = {21, 26, 33};
  MapPlacement placement;
  std::vector<float> values(512 * 512);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    values[cell] = static_cast<float>(cell % 977U) / 977.0F;
  }
  placement.map = renderer.Upload(512, 512, values);
  placement.target = {1064.0F, 300.0F, 512.0F, 512.0F};
  one.maps.push_back(placement);
  scene.regions = {grid, one};
  return scene;
}

TEST_CASE("Frame times", "[.][speed]") {
  WindowOptions options;
  options.scale = 1.0;
  std::unique_ptr<Window> window;
  Print("window", Measure([&] { window = std::move(*Window::Create(options)); }));
  std::unique_ptr<Renderer> renderer;
  Print("renderer", Measure([&] { renderer = std::move(*Renderer::Create()); }));
  Print("first ImGui frame", Measure([&] {
          window->BeginImGuiFrame();
          window->RenderImGui();
          window->Swap();
        }));
  const auto frame = [&](const Scene& scene) {
    static_cast<void>(renderer->DrawScene(scene, window->width(), window->height()));
    window->Swap();
    glFinish();
  };
  Print("empty frame", 50, [&](int) {
    glClear(GL_COLOR_BUFFER_BIT);
    window->Swap();
    glFinish();
  });
  struct Case {
    std::int64_t cells;
    float side;
  };
  for (const Case& size : {Case{128, 60.0F}, Case{96, 60.0F}, Case{64, 64.0F}, Case{24, 72.0F}}) {
    std::printf("%d cells in %d px\n", static_cast<int>(size.cells), static_cast<int>(size.side));
    Scene scene;
    Print("upload", Measure([&] { scene = GridScene(*renderer, size.cells, size.side); }));
    Print("first frame", Measure([&] { frame(scene); }));
    Print("unchanged", 50, [&](int) { frame(scene); });
    Print("grid scrolled", 50, [&](int time) {
      for (MapPlacement& placement : scene.regions[0].maps) {
        placement.target.y += time % 2 == 0 ? 1.0F : -1.0F;
      }
      frame(scene);
    });
    Print("large map panned", 50, [&](int time) {
      scene.regions[1].maps[0].target.y += time % 2 == 0 ? 1.0F : -1.0F;
      frame(scene);
    });
    Print("one thumbnail replaced", 50, [&](int time) {
      scene.regions[0].maps[70].dimmed = time % 2 == 0;
      frame(scene);
    });
    Print("all in another scale", 50, [&](int time) {
      for (SceneRegion& region : scene.regions) {
        for (MapPlacement& placement : region.maps) {
          placement.scale.high = 1.0F - 0.001F * static_cast<float>(time);
        }
      }
      frame(scene);
    });
    for (const SceneRegion& region : scene.regions) {
      for (const MapPlacement& placement : region.maps) {
        renderer->Release(placement.map);
      }
    }
  }
}

// Lines between two columns of 1,000 tokens, or arcs over them, none as the one before.
std::shared_ptr<const std::vector<Stroke>> StrokesAcross(std::size_t count, bool arcs, float by) {
  std::vector<Stroke> strokes;
  for (std::size_t i = 0; i < count; ++i) {
    const auto from = static_cast<float>(i * 7919U % 1000U);
    const auto to = static_cast<float>(i * 104'729U % 1000U);
    Stroke stroke{.x0 = 1160.0F,
                  .y0 = 250.0F + 0.45F * from,
                  .x1 = 1480.0F,
                  .y1 = 250.0F + 0.45F * to + by,
                  .thickness = 1.5F,
                  .color = {140, 233, 255},
                  .alpha = 0.3F};
    if (arcs) {
      stroke = {.x0 = 1060.0F + 0.5F * from,
                .y0 = 700.0F,
                .x1 = 1060.0F + 0.5F * to,
                .y1 = 700.0F,
                .rise = 30.0F + 0.3F * std::abs(from - to) + by,
                .thickness = 1.5F,
                .color = {140, 233, 255},
                .alpha = 0.3F};
    }
    strokes.push_back(stroke);
  }
  return std::make_shared<const std::vector<Stroke>>(std::move(strokes));
}

TEST_CASE("Frame times of lines", "[.][speed]") {
  WindowOptions options;
  options.scale = 1.0;
  const auto window = std::move(*Window::Create(options));
  const auto renderer = std::move(*Renderer::Create());
  Scene scene;
  SceneRegion region;
  region.rect = {1040.0F, 56.0F, 560.0F, 914.0F};
  region.background = {21, 26, 33};
  region.strokes_clip = region.rect;
  scene.regions = {region};
  const auto frame = [&] {
    static_cast<void>(renderer->DrawScene(scene, window->width(), window->height()));
    window->Swap();
    glFinish();
  };
  for (const bool arcs : {false, true}) {
    for (const std::size_t count : {100U, 500U, 1000U, 2000U, 4000U}) {
      std::printf("%d %s\n", static_cast<int>(count), arcs ? "arcs" : "lines");
      const auto one = StrokesAcross(count, arcs, 0.0F);
      const auto two = StrokesAcross(count, arcs, 1.0F);
      scene.regions[0].strokes = one;
      frame();
      Print("unchanged", 50, [&](int) { frame(); });
      Print("other lines", 30, [&](int time) {
        scene.regions[0].strokes = time % 2 == 0 ? two : one;
        frame();
      });
    }
  }
}

}  // namespace
}  // namespace headscope
