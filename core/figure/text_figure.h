// A text shaded by attention, as a figure: the words in lines, each on a ground of its share.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/figure/figure_map.h"
#include "core/figure/page_figure.h"
#include "core/figure/text_shades.h"

namespace headscope {

struct TextContent {
  FigureMap map;      // its scale is that of the shades; its flag is drawn next to the page's title
  std::string about;  // what shades the text
  TextShades shades;
  std::vector<std::string> tokens;  // that are shaded
  std::vector<std::int64_t> asked;  // of them, framed: those that look, or are looked at
};

using TextFigure = PageFigure<TextContent>;

}  // namespace headscope
