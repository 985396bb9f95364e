// Draws Pango's lines on surfaces without pixels, where cairo alone loses detail. For core/figure
// only.
//
// Units    pixels.
// Threads  one thread at a time for each layout.
#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

namespace headscope {

// Draws the layout as pango_cairo_show_layout does, with its top left at (0, 0), except for
// coloured glyphs (emoji): cairo draws them with one dot per surface unit, too coarse on paper, so
// they become finer images. Rotated text is written run by run as one piece: otherwise PDF readers
// would find its letters one by one.
void ShowOnPaper(cairo_t* cairo, PangoLayout* layout, bool is_turned);

}  // namespace headscope
