// Draws lines and arcs (core/figure/stroke.h) with soft edges, one draw call for all of them.
//
// Units    pixels of the bound framebuffer, row 0 on top.
// Errors   kGl: a shader that does not compile.
// Threads  UI thread, with the context current.
// Cost     in software about a microsecond for every hundred pixels of a line.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "app/gl/objects.h"
#include "app/gl/program.h"
#include "core/base/error.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"

namespace headscope {

class StrokePainter {
 public:
  [[nodiscard]] static Result<StrokePainter> Create();

  // What lies wholly to the left or right of `clip` may be left out.
  void Draw(std::span<const Stroke> strokes, const Rect& clip, int width, int height);

 private:
  // The attributes of stroke.vert.
  struct Piece {
    std::array<float, 4> ends;
    std::array<float, 4> across;
    std::array<float, 4> color;
    float half = 0.0F;
  };
  StrokePainter() = default;
  void Add(const Stroke& stroke, const Rect& clip);

  gl::Program program_;
  int pixels_to_clip_ = -1;
  gl::VertexArray vertices_;
  gl::Buffer instances_;
  std::vector<Piece> pieces_;
};

}  // namespace headscope
