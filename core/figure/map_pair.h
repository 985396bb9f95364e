// Two heads of a comparison side by side with their tokens, and their difference: three maps on the
// same rows and columns.
//
// Cost     drawing makes every row of both heads, nothing is made before. Holds three floats for
//          each drawn cell.
// Threads  as in core/figure/figure.h.
#pragma once

#include <array>
#include <string>

#include "core/figure/figure_kind.h"
#include "core/figure/page_figure.h"

namespace headscope {

struct MapPairContent {
  HeadsBeside heads;
  std::array<std::string, 2> titles;  // over the maps of A and B
  ColorScale
      scale;  // of the weights, with the range in force; the difference uses its curve and mode
};

using MapPair = PageFigure<MapPairContent>;

}  // namespace headscope
