// Pango's lines on surfaces without pixels, where cairo alone loses something. For core/figure
// only.
//
// Units    pixels.
// Threads  one thread at a time for each layout.
#pragma once

#include <cairo.h>
#include <pango/pangocairo.h>

namespace headscope {

// Draws the layout as pango_cairo_show_layout does, with its top left at (0, 0), but for glyphs in
// colours (emoji): cairo draws them in the dots of the surface's own unit, of which paper has few,
// so they are images of more. Of text that is turned, each run is told as one piece: readers of the
// file would find its letters one by one.
void ShowOnPaper(cairo_t* cairo, PangoLayout* layout, bool is_turned);

}  // namespace headscope
