#include "core/figure/canvas.h"

#include <algorithm>
#include <cmath>

#include "core/base/check.h"

namespace headscope {

void Canvas::Frame(double x, double y, double width, double height, double thickness, Rgb color) {
  Fill(x - thickness, y - thickness, width + 2.0 * thickness, height + 2.0 * thickness, color);
}

void Canvas::Text(double x, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  SetText(x, y, 0.0, utf8, style, color);
}

void Canvas::TextRight(
    double right, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  Text(right - setter_->Measure(utf8, style).width, y, utf8, style, color);
}

void Canvas::TextCentered(
    double middle, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  Text(middle - setter_->Measure(utf8, style).width / 2.0, y, utf8, style, color);
}

void Canvas::TextTurned(
    double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color) {
  const double half = setter_->Measure(utf8, style).height / 2.0;
  SetText(x + half * std::sin(radians), y - half * std::cos(radians), radians, utf8, style, color);
}

void Canvas::Gradient(double x,
                      double y,
                      double width,
                      double height,
                      double thickness,
                      std::span<const Rgb, kColormapSize> table,
                      Rgb line) {
  Frame(x, y, width, height, thickness, line);
  for (int i = 0; i < static_cast<int>(width); ++i) {
    const double at = static_cast<double>(i) / std::max(1.0, width - 1.0);
    const auto index = static_cast<std::size_t>(std::lround(at * (kColormapSize - 1)));
    // Each strip reaches to the end of the bar: the next one covers it, and no seam can show.
    Fill(x + i, y, width - i, height, table[index]);
  }
}

void Canvas::Cells(int x, int y, int cell, const MapCells& map) {
  HEADSCOPE_CHECK(
      x >= 0 && y >= 0 && x + cell * map.cols <= size_.width && y + cell * map.rows <= size_.height,
      "a map lies inside its figure");
  DrawCells(x, y, cell, map);
}

}  // namespace headscope
