// Draws scenes with OpenGL: holds map textures, a framebuffer with the last scene, and label
// textures set by Pango.
//
// Shapes   maps [rows, cols] float32; maps above the texture limit (3.3 guarantees 1,024) are kept
//          in pages.
// Errors   kGl: a shader that does not compile (with file, line, driver's words), an incomplete
//          framebuffer.
// Threads  UI thread, with its context current.
// Cost     Upload copies once; DrawScene redraws only changed regions, then does one blit.
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

// A part of a texture that many labels share: always pass u0..v1 to ImGui, otherwise the whole
// atlas is shown. Sharp at whole-pixel positions; may be rotated (ImDrawList::AddImageQuad). Valid
// in this frame and the next: ask again each frame, it is cached.
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

  // Draws once with every program, in no window: drivers finish a program when it first draws, those
  // that draw in software for longer than a frame may take. Call it before the first frame.
  virtual void Prepare() {}

  // Cells below 0 (kMasked) are drawn as masked.
  [[nodiscard]] virtual MapHandle Upload(std::int64_t rows,
                                         std::int64_t cols,
                                         std::span<const float> values) = 0;
  virtual void Release(MapHandle map) = 0;

  // Draws into the window's framebuffer of width x height pixels; returns how many regions were
  // redrawn.
  virtual int DrawScene(const Scene& scene, int width, int height) = 0;

  // Cached; the least recently used labels are dropped when there are many. Any script.
  [[nodiscard]] virtual LabelTexture Label(std::string_view utf8, const TextStyle& style) = 0;

  // Returns a picture in parts from left to right; it is copied when `revision` changes. `key` is
  // chosen by its owner.
  [[nodiscard]] virtual std::vector<LabelTexture> Picture(std::uint64_t key,
                                                          std::uint64_t revision,
                                                          const TextPicture& picture) = 0;

  // Reads what the window will show (call it after all drawing, before Swap), for --screenshot and
  // tests.
  [[nodiscard]] virtual Pixels ReadWindow(int width, int height) = 0;

 protected:
  Renderer() = default;
};

}  // namespace headscope
