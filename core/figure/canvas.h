// What figures are drawn on: rectangles, texts and cells over cairo.
//
// Units    pixels, origin top left.
// Errors   kOutOfMemory where cairo cannot make the surface.
// Threads  one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/error.h"
#include "core/figure/color_scale.h"
#include "core/figure/figure.h"
#include "core/figure/text_layout.h"

namespace headscope {

class Canvas {
 public:
  [[nodiscard]] static Result<std::unique_ptr<Canvas>> Create(int width,
                                                              int height,
                                                              Rgb background,
                                                              TextSetter* setter);
  ~Canvas();
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;

  void Fill(double x, double y, double width, double height, Rgb color);
  void FillRounded(double x, double y, double width, double height, double radius, Rgb color);
  // A line of `thickness` around the rectangle, outside it.
  void Frame(double x, double y, double width, double height, double thickness, Rgb color);
  void Text(double x, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  void TextRight(double right, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  void TextCentered(
      double middle, double y, std::string_view utf8, const TextStyle& style, Rgb color);
  // Turned by `radians` about (x, y), which is the middle of its left edge.
  void TextTurned(
      double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color);
  // weights [rows, cols] as cells of `cell` whole pixels, each exactly ColorOf.
  void Cells(int x,
             int y,
             int cell,
             std::span<const float> weights,
             std::int64_t rows,
             std::int64_t cols,
             const ColorScale& scale,
             Theme theme);

  [[nodiscard]] Pixels Take();

 private:
  Canvas();
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headscope
