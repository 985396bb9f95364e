// Draws map placements as instanced rectangles, in order; neighbours that share a texture and a
// shader go into one draw call.
//
// Units    pixels of the bound framebuffer, row 0 on top.
// Errors   kGl: a shader that does not compile.
// Threads  UI thread, with the context current.
#pragma once

#include <array>
#include <vector>

#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "app/render/map_store.h"
#include "app/render/palette.h"
#include "app/render/scene.h"
#include "core/base/error.h"

namespace headscope {

class HeatmapPainter {
 public:
  [[nodiscard]] static Result<HeatmapPainter> Create();

  struct Surface {
    int width = 0;
    int height = 0;
    Theme theme = Theme::kDark;
    Rgb background;  // dimmed maps are blended towards it

    [[nodiscard]] PaletteKey ColorsOf(const MapPlacement& placement) const;
  };
  void Begin(const Surface& surface);
  void Add(const MapStore::Map& map, const MapPlacement& placement);
  void Flush();

 private:
  // The attributes of heatmap.vert.
  struct Instance {
    std::array<float, 4> rect;
    std::array<float, 4> mapping;
    std::array<float, 4> bounds;
    std::array<float, 4> slot;
    std::array<float, 4> curve;
  };
  struct Shading {
    gl::Program program;
    int pixels_to_clip = -1;
  };
  static constexpr std::size_t kCurves = 3;

  HeatmapPainter() = default;
  [[nodiscard]] static Result<Shading> MakeShading(std::size_t variant);

  Surface surface_;
  Palette palette_;
  std::array<Shading, 2 * kCurves> shadings_;  // [pooled][curve]
  gl::VertexArray vertices_;
  gl::Buffer instances_;
  std::vector<Instance> batch_;
  unsigned batch_texture_ = 0;
  std::size_t batch_shading_ = 0;
};

}  // namespace headscope
