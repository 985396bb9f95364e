// The canvas that figures are drawn on: rectangles, texts and cells on any cairo surface.
//
// Units    pixels, origin top left; on paper the surface's scale says how large a pixel is.
// Errors   none of its own: cairo keeps the first error, and status() returns it.
// Threads  one thread at a time.
#pragma once

#include <span>
#include <string_view>

#include <cairo.h>

#include "core/figure/cells.h"
#include "core/figure/figure.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"
#include "core/figure/text_layout.h"

namespace headscope {

class Canvas {
 public:
  // Fills the canvas with `background`. `surface` and `setter` must outlive it; `scale`: surface
  // units per pixel.
  Canvas(
      cairo_surface_t* surface, FigureSize size, double scale, Rgb background, TextSetter* setter);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  [[nodiscard]] TextSetter* setter() const { return setter_; }
  [[nodiscard]] cairo_status_t status() const { return cairo_status(cairo_); }

  void Fill(double x, double y, double width, double height, Rgb color);
  void FillRounded(double x, double y, double width, double height, double radius, Rgb color);
  // Draws a line of `thickness` around the outside of the rectangle. Draw the framed content
  // afterwards: it must cover the whole inside.
  void Frame(double x, double y, double width, double height, double thickness, Rgb color);
  // A line's ends, and a circle's middle, lie in the middle of the pixel at their place.
  void Line(double x0, double y0, double x1, double y1, double thickness, Rgb color, double alpha);
  // Straight or an arc, within `clip`; its ends are cut off at right angles.
  void Strokes(std::span<const Stroke> strokes, const Rect& clip);
  // `ring`: its thickness; 0: filled.
  void Circle(double x, double y, double radius, double ring, Rgb color, double alpha);
  void Text(double x, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  void TextRight(double right, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  void TextCentered(
      double middle, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  // Draws text rotated by `radians` about (x, y), the middle of its left edge.
  void TextTurned(
      double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color);
  // Draws a colour map from left to right, within a line around it.
  void Gradient(double x,
                double y,
                double width,
                double height,
                double thickness,
                std::span<const Rgb, kColormapSize> table,
                Rgb line);
  // Draws cells of `cell` whole pixels, each exactly ColorOf. On a surface without pixels, large
  // cells are shapes and small ones an image of the pixels that they would be.
  void Cells(int x, int y, int cell, const MapCells& map);

 private:
  void Source(Rgb color, double alpha = 1.0);

  cairo_surface_t* surface_;
  cairo_t* cairo_;
  TextSetter* setter_;
  FigureSize size_;
};

}  // namespace headscope
