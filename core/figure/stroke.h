// One line of a picture of lines: straight, or an arc over what lies between its ends. A list of
// them is painted by the window (app/render/stroke_painter.h) and on a canvas alike.
//
// Units    the painter's own pixels, edges of pixels at whole numbers, origin top left.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/figure/color_scale.h"

namespace headscope {

struct StrokePoint {
  float x = 0.0F;
  float y = 0.0F;
};

struct Stroke {
  float x0 = 0.0F;
  float y0 = 0.0F;
  float x1 = 0.0F;
  float y1 = 0.0F;
  float rise = 0.0F;  // of an arc's top above its ends (below them: negative); 0: straight
  float thickness = 1.0F;
  Rgb color;
  float alpha = 1.0F;
  float dash = 0.0F;  // length of its dashes, and of the gaps between them; 0: it has none
  friend bool operator==(const Stroke&, const Stroke&) = default;
};

// The two inner points of the cubic curve that an arc is.
[[nodiscard]] constexpr std::array<StrokePoint, 2> ControlsOf(const Stroke& stroke) {
  // The middle of a cubic lies three quarters of the way to its inner points.
  const float up = stroke.rise * 4.0F / 3.0F;
  return {{{stroke.x0, stroke.y0 - up}, {stroke.x1, stroke.y1 - up}}};
}

// A point of it: 0 at its beginning, 1 at its end.
[[nodiscard]] constexpr StrokePoint PointOf(const Stroke& stroke, float at) {
  const float back = 1.0F - at;
  if (stroke.rise == 0.0F) {
    return {back * stroke.x0 + at * stroke.x1, back * stroke.y0 + at * stroke.y1};
  }
  const auto [first, second] = ControlsOf(stroke);
  const float a = back * back * back;
  const float b = 3.0F * back * back * at;
  const float c = 3.0F * back * at * at;
  const float d = at * at * at;
  return {a * stroke.x0 + b * first.x + c * second.x + d * stroke.x1,
          a * stroke.y0 + b * first.y + c * second.y + d * stroke.y1};
}

// How far a point lies from a stroke's middle line.
[[nodiscard]] float DistanceTo(const Stroke& stroke, float x, float y);

}  // namespace headscope
