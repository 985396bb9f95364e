// What figures are drawn on: rectangles, texts and cells over any cairo surface.
//
// Units    pixels, origin top left; on paper a pixel is what the surface's scale makes of it.
// Errors   none of its own: cairo keeps the first one, which status() tells.
// Threads  one thread at a time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include <cairo.h>

#include "core/figure/color_scale.h"
#include "core/figure/figure.h"
#include "core/figure/text_layout.h"

namespace headscope {

class Canvas {
 public:
  // With that ground. `surface` and `setter` must outlive this; `scale`: units of the surface in a
  // pixel.
  Canvas(
      cairo_surface_t* surface, FigureSize size, double scale, Rgb background, TextSetter* setter);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  [[nodiscard]] TextSetter* setter() const { return setter_; }
  [[nodiscard]] cairo_status_t status() const { return cairo_status(cairo_); }

  void Fill(double x, double y, double width, double height, Rgb color);
  void FillRounded(double x, double y, double width, double height, double radius, Rgb color);
  // A line of `thickness` around the rectangle, outside it. What is framed is drawn after it, over
  // all of the inside.
  void Frame(double x, double y, double width, double height, double thickness, Rgb color);
  void Text(double x, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  void TextRight(double right, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  void TextCentered(
      double middle, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  // Turned by `radians` about (x, y), which is the middle of its left edge.
  void TextTurned(
      double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color);
  // weights [rows, cols] as cells of `cell` whole pixels, each exactly ColorOf. Where the surface
  // has no pixels, large cells are shapes and small ones an image of the pixels that they would be.
  void Cells(int x,
             int y,
             int cell,
             std::span<const float> weights,
             std::int64_t rows,
             std::int64_t cols,
             const ColorScale& scale,
             Theme theme);

 private:
  void Source(Rgb color);

  cairo_surface_t* surface_;
  cairo_t* cairo_;
  TextSetter* setter_;
  FigureSize size_;
};

}  // namespace headscope
