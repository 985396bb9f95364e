// The canvas on a cairo surface: pixels, or a PDF's page.
//
// Threads  one thread at a time.
#pragma once

#include <span>
#include <string_view>

#include <cairo.h>

#include "core/figure/cairo_handles.h"
#include "core/figure/canvas.h"

namespace headscope {

class CairoCanvas final : public Canvas {
 public:
  // `surface` and `setter` must outlive it; `scale`: surface units per pixel.
  CairoCanvas(cairo_surface_t* surface, FigureSize size, double scale, TextSetter* setter);

  // Cairo keeps the first error.
  [[nodiscard]] cairo_status_t status() const { return cairo_status(cairo_.get()); }

  void Fill(double x, double y, double width, double height, Rgb color) override;
  void FillRounded(
      double x, double y, double width, double height, double radius, Rgb color) override;
  void Line(double x0, double y0, double x1, double y1, double thickness, Rgb color, double alpha)
      override;
  void Circle(double x, double y, double radius, double ring, Rgb color, double alpha) override;
  void Strokes(std::span<const Stroke> strokes, const Rect& clip) override;

 private:
  void SetText(double x,
               double y,
               double radians,
               std::string_view utf8,
               const TextStyle& style,
               Rgb color) override;
  void DrawCells(int x, int y, int cell, const MapCells& map) override;
  void Source(Rgb color, double alpha = 1.0);

  cairo_surface_t* surface_;
  Cairo cairo_;
  bool has_own_pixels_;  // the surface's are the figure's
};

}  // namespace headscope
