// A chart as a figure: what a view draws as a chart, with a page's heading and footer.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <memory>

#include "core/figure/chart.h"
#include "core/figure/page_figure.h"

namespace headscope {

using ChartFigure = PageFigure<Chart>;

// Paints charts on a canvas with the sizes of a page. The canvas must outlive it.
[[nodiscard]] std::unique_ptr<ChartPainter> PainterOn(Canvas* canvas, const FigurePage& page);

}  // namespace headscope
