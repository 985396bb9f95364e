// Sizes and spacing of a figure, derived from its pixel size in one place, so that all kinds of
// figures look alike.
//
// Units    pixels.
#pragma once

#include "core/figure/figure.h"
#include "core/figure/text_layout.h"
#include "core/figure/theme.h"

namespace headscope {

struct FigureStyle {
  double unit = 1.0;  // 1 for a figure of 1000 pixels
  double margin = 32.0;
  TextStyle title;
  TextStyle subtitle;
  TextStyle label;    // row labels
  TextStyle small;    // mono: sublabels, map titles, the bar's numbers
  TextStyle caption;  // and notes
  TextStyle table;
  double largest_token = 13.0;
  double smallest_token = 8.0;
};

[[nodiscard]] FigureStyle StyleFor(int size_px);
// With the letters that the page asks for.
[[nodiscard]] FigureStyle StyleFor(const FigurePage& page);

}  // namespace headscope
