// The canvas that figures are drawn on: rectangles, texts and cells. Cairo's surfaces and SVG each
// have one.
//
// Units    pixels, origin top left; on paper the surface's scale says how large a pixel is.
// Errors   none of its own; who makes a canvas asks it whether all went well.
// Threads  one thread at a time.
#pragma once

#include <span>
#include <string_view>

#include "core/figure/cells.h"
#include "core/figure/figure.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"
#include "core/figure/text_layout.h"

namespace headscope {

class Canvas {
 public:
  // `setter` must outlive it.
  Canvas(FigureSize size, TextSetter* setter) : setter_(setter), size_(size) {}
  virtual ~Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  [[nodiscard]] TextSetter* setter() const { return setter_; }

  virtual void Fill(double x, double y, double width, double height, Rgb color) = 0;
  virtual void FillRounded(
      double x, double y, double width, double height, double radius, Rgb color) = 0;
  // A line's ends, and a circle's middle, lie in the middle of the pixel at their place.
  virtual void Line(
      double x0, double y0, double x1, double y1, double thickness, Rgb color, double alpha) = 0;
  // `ring`: its thickness; 0: filled.
  virtual void Circle(double x, double y, double radius, double ring, Rgb color, double alpha) = 0;
  // Straight or an arc, within `clip`; its ends are cut off at right angles.
  virtual void Strokes(std::span<const Stroke> strokes, const Rect& clip) = 0;

  // Draws a line of `thickness` around the outside of the rectangle. Draw the framed content
  // afterwards: it must cover the whole inside.
  void Frame(double x, double y, double width, double height, double thickness, Rgb color);
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

 protected:
  [[nodiscard]] FigureSize size() const { return size_; }

 private:
  // Top left at (x, y), rotated about that corner.
  virtual void SetText(double x,
                       double y,
                       double radians,
                       std::string_view utf8,
                       const TextStyle& style,
                       Rgb color) = 0;
  // They lie within the canvas.
  virtual void DrawCells(int x, int y, int cell, const MapCells& map) = 0;

  TextSetter* setter_;
  FigureSize size_;
};

}  // namespace headscope
