// Draws the cells of a map on a cairo surface. For core/figure only.
//
// Shapes   weights [rows, cols].
// Units    pixels; (x, y) is the top left of cell (0, 0), `cell` the side of each.
// Threads  one thread at a time for each surface.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cairo.h>

#include "core/figure/cairo_handles.h"
#include "core/figure/color_scale.h"

namespace headscope {

struct MapCells {
  std::span<const float> weights;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  ColorScale scale;
  Theme theme = Theme::kLight;
};

// Paints into the pixels of an image, which must be large enough.
void PaintCells(const MapCells& map, cairo_surface_t* image, int x, int y, int cell);

// A rectangle of one colour.
struct CellShape {
  double x = 0.0;
  double y = 0.0;
  double width = 0.0;
  double height = 0.0;
  Rgb color;
};
// Returns rectangles to draw in this order; neighbours of one colour are joined. Each extends under
// the next ones, so that the background never shows through the seams, at any zoom.
[[nodiscard]] std::vector<CellShape> ShapesOfCells(const MapCells& map, int x, int y, int cell);

// An image of what PaintCells paints.
[[nodiscard]] Surface ImageOfCells(const MapCells& map, int cell);
// Draws that image, never smoothed.
void PlaceImageOfCells(const MapCells& map, cairo_t* cairo, int x, int y, int cell);

}  // namespace headscope
