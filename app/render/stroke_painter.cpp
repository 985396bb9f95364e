#include "app/render/stroke_painter.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>

#include <epoxy/gl.h>

#include "shader_sources.h"

namespace headscope {
namespace {

constexpr int kMostPieces = 32;

// Pieces of an arc: more for a large one, so that no corner is seen.
int PiecesOf(const Stroke& stroke) {
  if (stroke.rise == 0.0F) {
    return 1;
  }
  const float size = std::abs(stroke.x1 - stroke.x0) + 2.0F * std::abs(stroke.rise);
  return std::clamp(static_cast<int>(std::sqrt(size) * 1.2F), 8, kMostPieces);
}

// At right angles to the way from one point to another; nowhere where they are the same.
StrokePoint AcrossOf(StrokePoint from, StrokePoint to) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  return length > 0.0F ? StrokePoint{(from.y - to.y) / length, (to.x - from.x) / length}
                       : StrokePoint{};
}

}  // namespace

Result<StrokePainter> StrokePainter::Create() {
  StrokePainter painter;
  HEADSCOPE_TRY(
      auto program,
      gl::Program::Create(
          {k_stroke_vert.file, k_stroke_vert.text}, {k_stroke_frag.file, k_stroke_frag.text}, ""));
  painter.program_ = std::move(program);
  painter.pixels_to_clip_ = painter.program_.Uniform("u_pixels_to_clip");
  painter.vertices_ = gl::VertexArray::Create();
  painter.instances_ = gl::Buffer::Create();
  glBindVertexArray(painter.vertices_.id());
  glBindBuffer(GL_ARRAY_BUFFER, painter.instances_.id());
  constexpr std::array<std::pair<GLint, std::size_t>, 4> kAttributes = {
      {{4, offsetof(Piece, ends)},
       {4, offsetof(Piece, across)},
       {4, offsetof(Piece, color)},
       {1, offsetof(Piece, half)}}};
  for (GLuint attribute = 0; attribute < kAttributes.size(); ++attribute) {
    const auto& [numbers, at] = kAttributes[attribute];
    glEnableVertexAttribArray(attribute);
    // NOLINTNEXTLINE(performance-no-int-to-ptr): OpenGL takes an offset as a pointer
    const auto* const offset = reinterpret_cast<const void*>(at);
    glVertexAttribPointer(attribute, numbers, GL_FLOAT, GL_FALSE, sizeof(Piece), offset);
    glVertexAttribDivisor(attribute, 1);
  }
  glBindVertexArray(0);
  return painter;
}

void StrokePainter::Add(const Stroke& stroke, const Rect& clip) {
  const int pieces = PiecesOf(stroke);
  std::array<StrokePoint, kMostPieces + 1> points;
  for (int at = 0; at <= pieces; ++at) {
    points.at(static_cast<std::size_t>(at)) =
        PointOf(stroke, static_cast<float>(at) / static_cast<float>(pieces));
  }
  const auto point = [&points](int at) { return points.at(static_cast<std::size_t>(at)); };
  // Of an inner point: across the way between its neighbours.
  const auto across = [&](int at) {
    return AcrossOf(point(std::max(0, at - 1)), point(std::min(pieces, at + 1)));
  };
  // What is thinner than a pixel is paler instead.
  const float thickness = std::max(1.0F, stroke.thickness);
  const auto channel = [](std::uint8_t value) { return static_cast<float>(value) / 255.0F; };
  const std::array<float, 4> color = {channel(stroke.color.r),
                                      channel(stroke.color.g),
                                      channel(stroke.color.b),
                                      stroke.alpha * std::min(1.0F, stroke.thickness)};
  const auto add = [&](StrokePoint begin, StrokePoint side, StrokePoint end, StrokePoint end_side) {
    pieces_.push_back({.ends = {begin.x, begin.y, end.x, end.y},
                       .across = {side.x, side.y, end_side.x, end_side.y},
                       .color = color,
                       .half = thickness / 2.0F});
  };
  float gone = 0.0F;  // along a dashed stroke
  StrokePoint from = point(0);
  StrokePoint from_across = across(0);
  for (int piece = 1; piece <= pieces; ++piece) {
    const StrokePoint to = point(piece);
    const StrokePoint to_across = across(piece);
    // Of a long text's arcs little is in sight.
    const float margin = thickness + 2.0F;
    const bool is_seen = std::max(from.x, to.x) > clip.x - margin &&
                         std::min(from.x, to.x) < clip.x + clip.width + margin;
    if (stroke.dash > 0.0F) {
      const float length = std::hypot(to.x - from.x, to.y - from.y);
      const auto between = [&](float at) {
        const float part = std::clamp(at / std::max(length, 1e-6F), 0.0F, 1.0F);
        return StrokePoint{from.x + part * (to.x - from.x), from.y + part * (to.y - from.y)};
      };
      const StrokePoint side = AcrossOf(from, to);
      for (float at = 0.0F; at < length;) {
        const float in_pair = std::fmod(gone + at, 2.0F * stroke.dash);
        const bool is_dash = in_pair < stroke.dash;
        // At least a little, so that rounding never stands still.
        const float end =
            std::min(length, at + std::max((is_dash ? 1.0F : 2.0F) * stroke.dash - in_pair, 0.01F));
        if (is_dash && is_seen) {
          add(between(at), side, between(end), side);
        }
        at = end;
      }
      gone += length;
    } else if (is_seen) {
      add(from, from_across, to, to_across);
    }
    from = to;
    from_across = to_across;
  }
}

void StrokePainter::Draw(std::span<const Stroke> strokes, const Rect& clip, int width, int height) {
  pieces_.clear();
  for (const Stroke& stroke : strokes) {
    Add(stroke, clip);
  }
  if (pieces_.empty()) {
    return;
  }
  program_.Use();
  glUniform2f(pixels_to_clip_, 2.0F / static_cast<float>(width), 2.0F / static_cast<float>(height));
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);
  glBindVertexArray(vertices_.id());
  glBindBuffer(GL_ARRAY_BUFFER, instances_.id());
  glBufferData(GL_ARRAY_BUFFER,
               static_cast<GLsizeiptr>(pieces_.size() * sizeof(Piece)),
               pieces_.data(),
               GL_STREAM_DRAW);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(pieces_.size()));
  glBindVertexArray(0);
  glDisable(GL_BLEND);
}

}  // namespace headscope
