// A hidden window with a renderer, for tests that draw and look at the pixels.
#pragma once

#include <memory>
#include <vector>

#include "app/platform/window.h"
#include "app/render/renderer.h"

namespace headscope {

// The window of all tests: 1600 x 1000 pixels, hidden.
[[nodiscard]] Window& TestWindow();

[[nodiscard]] std::unique_ptr<Renderer> MakeRenderer();

[[nodiscard]] Rgb PixelAt(const Pixels& pixels, int x, int y);

// A region that fills `width` x `height` pixels from the top left.
[[nodiscard]] SceneRegion RegionOf(int width, int height);

// Draws the scene on the whole window and reads it.
[[nodiscard]] Pixels Draw(Renderer& renderer, const Scene& scene);

}  // namespace headscope
