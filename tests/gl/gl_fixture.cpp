#include "tests/gl/gl_fixture.h"

#include <cstddef>

#include "tests/support/catch.h"

namespace headscope {

Window& TestWindow() {
  static const std::unique_ptr<Window> window = [] {
    WindowOptions options;
    options.visible = false;
    options.scale = 1.0;
    auto made = Window::Create(options);
    if (!made) {
      FAIL(made.error().message);
    }
    return std::move(*made);
  }();
  return *window;
}

std::unique_ptr<Renderer> MakeRenderer() {
  static_cast<void>(TestWindow());
  auto renderer = Renderer::Create();
  if (!renderer) {
    FAIL(renderer.error().message);
  }
  return std::move(*renderer);
}

Rgb PixelAt(const Pixels& pixels, int x, int y) {
  const auto start = (static_cast<std::size_t>(y) * static_cast<std::size_t>(pixels.width) +
                      static_cast<std::size_t>(x)) *
                     3;
  return {pixels.rgb.at(start), pixels.rgb.at(start + 1), pixels.rgb.at(start + 2)};
}

SceneRegion RegionOf(int width, int height) {
  SceneRegion region;
  region.rect = {0.0F, 0.0F, static_cast<float>(width), static_cast<float>(height)};
  region.background = {14, 17, 22};
  return region;
}

Pixels Draw(Renderer& renderer, const Scene& scene) {
  Window& window = TestWindow();
  static_cast<void>(renderer.DrawScene(scene, window.width(), window.height()));
  return renderer.ReadWindow(window.width(), window.height());
}

}  // namespace headscope
