// The token names around a map: queries on its left, keys above it, slanted if they are too long to
// be horizontal.
//
// Units    pixels; a token's position is its index times the pitch.
// Threads  one thread at a time (TextSetter).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/figure/canvas.h"
#include "core/figure/figure_style.h"

namespace headscope {

struct AxisLabel {
  std::int64_t token = 0;
  std::string text;
};

struct Axis {
  double pitch = 0.0;
  std::int64_t stride = 1;  // every stride-th token has a label
  TextStyle style;
  double longest = 0.0;  // the longest label's length
  std::vector<AxisLabel> labels;
};

// A token that occurs more than once is followed by its index, as on screen: "the (4)"; if labels
// are thinned out, each one has its index. line_of_size: the space that a label needs along the
// axis, relative to its letter size.
[[nodiscard]] Axis MakeAxis(std::span<const std::string> tokens,
                            double pitch,
                            double longest_px,
                            double line_of_size,
                            const FigureStyle& style,
                            TextSetter* setter);

// What to label; a side without tokens gets no names.
struct NamedSides {
  std::span<const std::string> query_tokens;
  std::span<const std::string> key_tokens;
  double query_pitch = 0.0;  // from one token to the next
  double key_pitch = 0.0;
  double width = 0.0;  // the map's
};

struct TokenAxes {
  Axis queries;
  Axis keys;
  bool slanted = true;
  double left = 0.0;      // room left of the map, with a gap
  double top = 0.0;       // room above it, with a gap
  double overhang = 0.0;  // of slanted labels beyond its right edge
};
// `longest`: the maximum label length in pixels; longer labels are shortened.
[[nodiscard]] TokenAxes PlaceTokenAxes(const NamedSides& sides,
                                       double longest,
                                       const FigureStyle& style,
                                       TextSetter* setter);

// (x, y) is the top left of the map.
void DrawQueryLabels(
    Canvas* canvas, const TokenAxes& axes, const FigureStyle& style, Theme theme, int x, int y);
void DrawKeyLabels(
    Canvas* canvas, const TokenAxes& axes, const FigureStyle& style, Theme theme, int x, int y);

}  // namespace headscope
