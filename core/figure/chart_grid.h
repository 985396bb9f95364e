// Several charts as one figure, side by side in rows.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstddef>
#include <vector>

#include "core/figure/chart.h"
#include "core/figure/page_figure.h"
#include "core/figure/token_lines.h"

namespace headscope {

struct ChartGrid {
  std::vector<Chart> charts;          // one at least
  std::vector<NamedInk> legend = {};  // of their colours
};

using ChartGridFigure = PageFigure<ChartGrid>;

// Places for so many charts: as many columns as have `least_width` each, rows of one height.
[[nodiscard]] std::vector<Rect> GridPlaces(const Rect& area,
                                           std::size_t charts,
                                           float least_width,
                                           float gap);

}  // namespace headscope
