// Draws scenes with OpenGL: keeps map textures, a framebuffer with the last scene, and label
// textures set by Pango.
//
// Shapes   maps [rows, cols] float32; larger than the texture limit (1,024 is all that 3.3
//          promises): kept in pages.
// Errors   kGl: a shader that does not compile (file, line, driver's words), a framebuffer that is
//          not complete.
// Threads  UI thread, with its context current.
// Cost     Upload copies once; DrawScene redraws changed regions only, then one blit.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/render/scene.h"
#include "core/base/error.h"
#include "core/figure/pixels.h"
#include "core/figure/text_block.h"
#include "core/figure/text_layout.h"

namespace headscope {

// A part of a texture that many labels share: always pass u0..v1 to ImGui, or the whole atlas
// shows. Crisp at whole-pixel positions; may be turned (ImDrawList::AddImageQuad). Good for this
// frame and the next: ask again each frame, it is cached.
struct LabelTexture {
  void* texture = nullptr;  // an ImTextureID: white with the text as alpha; null for an empty text
  float width = 0.0F;       // pixels
  float height = 0.0F;
  float u0 = 0.0F;  // top left
  float v0 = 0.0F;
  float u1 = 1.0F;  // bottom right
  float v1 = 1.0F;
};

class Renderer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Renderer>> Create();
  virtual ~Renderer() = default;
  Renderer(const Renderer&) = delete;
  Renderer& operator=(const Renderer&) = delete;

  // Cells below zero (kMasked) are drawn as masked.
  [[nodiscard]] virtual MapHandle Upload(std::int64_t rows,
                                         std::int64_t cols,
                                         std::span<const float> values) = 0;
  virtual void Release(MapHandle map) = 0;

  // Into the window's framebuffer of width x height pixels. Returns how many regions were redrawn.
  virtual int DrawScene(const Scene& scene, int width, int height) = 0;

  // Cached; least recently used labels go when there are many. Any script.
  [[nodiscard]] virtual LabelTexture Label(std::string_view utf8, const TextStyle& style) = 0;

  // A picture of its own in parts from left to right, copied when `revision` is another than
  // before. `key` is its owner's.
  [[nodiscard]] virtual std::vector<LabelTexture> Picture(std::uint64_t key,
                                                          std::uint64_t revision,
                                                          const TextPicture& picture) = 0;

  // What the window will show (after everything is drawn, before Swap), for --screenshot and tests.
  [[nodiscard]] virtual Pixels ReadWindow(int width, int height) = 0;

 protected:
  Renderer() = default;
};

}  // namespace headscope
