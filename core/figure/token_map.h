// A single map with its tokens: queries on the left, slanted keys on top, as on screen.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <string>
#include <vector>

#include "core/figure/figure_map.h"
#include "core/figure/page_figure.h"

namespace headscope {

struct TokenMapContent {
  FigureMap map;  // its flag is drawn next to the page's title
  std::vector<std::string> query_tokens;
  std::vector<std::string> key_tokens;
};

using TokenMap = PageFigure<TokenMapContent>;

}  // namespace headscope
