// The title at the top of a figure.
//
// Units    pixels.
// Threads  one thread at a time (TextSetter).
#pragma once

#include "core/figure/canvas.h"
#include "core/figure/figure.h"
#include "core/figure/figure_map.h"
#include "core/figure/figure_style.h"

namespace headscope {

// The room it takes in height; a title that is wider than `width` is shortened.
[[nodiscard]] double HeadingHeight(TextSetter* setter,
                                   const FigurePage& page,
                                   const FigureStyle& style,
                                   double width);
// `map`, where the figure is of one alone, has its flag beside the title; null: none.
void DrawHeading(Canvas* canvas,
                 const FigurePage& page,
                 const FigureMap* map,
                 const FigureStyle& style,
                 double x,
                 double y,
                 double width);

}  // namespace headscope
