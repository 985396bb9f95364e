// One head's weights as arcs over its text in one line; of cross-attention two lines with straight
// lines between them.
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

struct ArcsContent {
  FigureMap map;  // its scale says how opaque arcs are; its flag is drawn next to the page's title
  KeptWeights kept;
  std::vector<LineInk> inks;     // of each head
  std::vector<NamedInk> legend;  // of several
  std::vector<std::string> query_tokens;
  std::vector<std::string> key_tokens;
  bool is_one_text = true;
};

using ArcsFigure = PageFigure<ArcsContent>;

}  // namespace headscope
