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

// Returns its height; a title wider than `width` is shortened.
[[nodiscard]] double HeadingHeight(TextSetter* setter,
                                   const FigurePage& page,
                                   const FigureStyle& style,
                                   double width);
// `map`: if the figure shows a single map, its flag is drawn next to the title. It may be null.
void DrawHeading(Canvas* canvas,
                 const FigurePage& page,
                 const FigureMap* map,
                 const FigureStyle& style,
                 double x,
                 double y,
                 double width);

}  // namespace headscope
