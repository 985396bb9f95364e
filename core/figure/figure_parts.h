// The two kinds of figure: one map with its tokens, and rows of maps.
//
// Errors   kInput: the figure is too small for what it must hold.
// Threads  any; each call makes its own surfaces.
#pragma once

#include "core/base/error.h"
#include "core/figure/canvas.h"
#include "core/figure/figure.h"
#include "core/figure/figure_style.h"

namespace headscope {

[[nodiscard]] Result<Pixels> RenderSingleMap(const Figure& figure,
                                             const FigureStyle& style,
                                             const std::stop_token& stop);
[[nodiscard]] Result<Pixels> RenderRows(const Figure& figure,
                                        const FigureStyle& style,
                                        const std::stop_token& stop);

// Title and subtitle at the top; returns their height. A null canvas only measures.
double DrawHeading(Canvas* canvas,
                   TextSetter* setter,
                   const Figure& figure,
                   const FigureStyle& style,
                   double x,
                   double y,
                   double width);

// A canvas of at most 100 million pixels with the theme's ground.
[[nodiscard]] Result<std::unique_ptr<Canvas>> MakeCanvas(const Figure& figure,
                                                         double width,
                                                         double height,
                                                         TextSetter* setter);

[[nodiscard]] tl::unexpected<Error> TooSmall(const Figure& figure);

}  // namespace headscope
