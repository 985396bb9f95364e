// The canvas that writes SVG: shapes as shapes, and text as text that programs find and edit.
//
// Texts stand where Pango measured them and are as wide as it measured them, whatever font a viewer
// has in place of ours.
//
// Threads  one thread at a time.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/figure/canvas.h"

namespace headscope {

class SvgCanvas final : public Canvas {
 public:
  using Canvas::Canvas;

  // The elements so far.
  [[nodiscard]] const std::string& elements() const { return elements_; }
  // kOutOfMemory: an image could not be made.
  [[nodiscard]] const Status& status() const { return status_; }

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

  std::string elements_;
  int clips_ = 0;  // so far: each has a number
  Status status_;
};

// Returns the characters as XML writes them, without those that it cannot hold.
[[nodiscard]] std::string XmlText(std::string_view utf8);

}  // namespace headscope
