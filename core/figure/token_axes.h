// The names of a map's tokens around it: queries at its left, keys above it, slanted where they are
// too long to lie flat.
//
// Units    pixels; a token's place is its index times the pitch.
// Threads  one thread at a time (TextSetter).
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/figure/axis.h"
#include "core/figure/canvas.h"
#include "core/figure/figure_style.h"

namespace headscope {

// What is named: no names at all where a side has none.
struct NamedSides {
  std::span<const std::string> query_tokens;
  std::span<const std::string> key_tokens;
  double query_pitch = 0.0;  // from one token to the next
  double key_pitch = 0.0;
  double width = 0.0;  // of the map
};

struct TokenAxes {
  Axis queries;
  Axis keys;
  bool slanted = true;
  double left = 0.0;      // of the map, with a gap
  double top = 0.0;       // above it, likewise
  double overhang = 0.0;  // of slanted labels, at its right
};
// `longest` label in pixels; what is longer is shortened.
[[nodiscard]] TokenAxes PlaceTokenAxes(const NamedSides& sides,
                                       double longest,
                                       const FigureStyle& style,
                                       TextSetter* setter);

// Of the map whose top left is there.
void DrawQueryLabels(
    Canvas* canvas, const TokenAxes& axes, const FigureStyle& style, Theme theme, int x, int y);
void DrawKeyLabels(
    Canvas* canvas, const TokenAxes& axes, const FigureStyle& style, Theme theme, int x, int y);

}  // namespace headscope
