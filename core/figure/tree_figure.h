// One head beside the tree of its text, over one line of words: core/figure/tree_arcs.h.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <string>
#include <vector>

#include "core/figure/figure_map.h"
#include "core/figure/page_figure.h"
#include "core/heads/measure/tree_answers.h"

namespace headscope {

struct TreeContent {
  FigureMap map = {};  // its flag is drawn next to the page's title
  TextTree tree;
  TreeAnswers answers;
  std::vector<std::string> tokens;
  std::vector<bool> continues;  // of tokens: it stands right beside the one before
};

using TreeFigure = PageFigure<TreeContent>;

}  // namespace headscope
