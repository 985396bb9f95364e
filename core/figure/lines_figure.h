// One head's weights as lines between two columns of tokens: queries at the left, keys at the right.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <string>
#include <vector>

#include "core/attention/kept_weights.h"
#include "core/figure/figure_map.h"
#include "core/figure/page_figure.h"
#include "core/figure/token_lines.h"

namespace headscope {

struct LinesContent {
  FigureMap map;  // its scale says how opaque lines are; its flag is drawn next to the page's title
  KeptWeights kept;
  std::vector<LineInk> inks;     // of each head
  std::vector<NamedInk> legend;  // of several
  std::vector<std::string> query_tokens;
  std::vector<std::string> key_tokens;
};

using LinesFigure = PageFigure<LinesContent>;

}  // namespace headscope
