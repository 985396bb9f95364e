#include "core/figure/canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/base/check.h"

namespace headscope {
namespace {

// Figures with fewer cells along a side use shapes: at most about 65,000 of them.
constexpr int kCellsOfShapes = 256;

}  // namespace

Canvas::Canvas(
    cairo_surface_t* surface, FigureSize size, double scale, Rgb background, TextSetter* setter)
    : surface_(surface), cairo_(cairo_create(surface)), setter_(setter), size_(size) {
  cairo_scale(cairo_, scale, scale);
  Fill(0.0, 0.0, size.width, size.height, background);
}

Canvas::~Canvas() {
  cairo_destroy(cairo_);
}

void Canvas::Source(Rgb color, double alpha) {
  cairo_set_source_rgba(cairo_, color.r / 255.0, color.g / 255.0, color.b / 255.0, alpha);
}

void Canvas::Fill(double x, double y, double width, double height, Rgb color) {
  Source(color);
  cairo_rectangle(cairo_, x, y, width, height);
  cairo_fill(cairo_);
}

void Canvas::FillRounded(
    double x, double y, double width, double height, double radius, Rgb color) {
  constexpr double kQuarter = std::numbers::pi / 2.0;
  const double r = std::min({radius, width / 2.0, height / 2.0});
  Source(color);
  cairo_new_sub_path(cairo_);
  cairo_arc(cairo_, x + width - r, y + r, r, -kQuarter, 0.0);
  cairo_arc(cairo_, x + width - r, y + height - r, r, 0.0, kQuarter);
  cairo_arc(cairo_, x + r, y + height - r, r, kQuarter, 2.0 * kQuarter);
  cairo_arc(cairo_, x + r, y + r, r, 2.0 * kQuarter, 3.0 * kQuarter);
  cairo_close_path(cairo_);
  cairo_fill(cairo_);
}

void Canvas::Frame(double x, double y, double width, double height, double thickness, Rgb color) {
  Fill(x - thickness, y - thickness, width + 2.0 * thickness, height + 2.0 * thickness, color);
}

void Canvas::Line(
    double x0, double y0, double x1, double y1, double thickness, Rgb color, double alpha) {
  Source(color, alpha);
  cairo_set_line_width(cairo_, thickness);
  cairo_move_to(cairo_, x0 + 0.5, y0 + 0.5);
  cairo_line_to(cairo_, x1 + 0.5, y1 + 0.5);
  cairo_stroke(cairo_);
}

void Canvas::Strokes(std::span<const Stroke> strokes, const Rect& clip) {
  const auto wide = [](float value) { return static_cast<double>(value); };
  cairo_save(cairo_);
  cairo_rectangle(cairo_, wide(clip.x), wide(clip.y), wide(clip.width), wide(clip.height));
  cairo_clip(cairo_);
  for (const Stroke& stroke : strokes) {
    Source(stroke.color, wide(stroke.alpha));
    cairo_set_line_width(cairo_, wide(stroke.thickness));
    cairo_move_to(cairo_, wide(stroke.x0), wide(stroke.y0));
    if (stroke.rise == 0.0F) {
      cairo_line_to(cairo_, wide(stroke.x1), wide(stroke.y1));
    } else {
      const auto [first, second] = ControlsOf(stroke);
      cairo_curve_to(cairo_,
                     wide(first.x),
                     wide(first.y),
                     wide(second.x),
                     wide(second.y),
                     wide(stroke.x1),
                     wide(stroke.y1));
    }
    cairo_stroke(cairo_);
  }
  cairo_restore(cairo_);
}

void Canvas::Circle(double x, double y, double radius, double ring, Rgb color, double alpha) {
  Source(color, alpha);
  cairo_new_sub_path(cairo_);
  cairo_arc(cairo_, x + 0.5, y + 0.5, radius, 0.0, 2.0 * std::numbers::pi);
  if (ring > 0.0) {
    cairo_set_line_width(cairo_, ring);
    cairo_stroke(cairo_);
  } else {
    cairo_fill(cairo_);
  }
}

void Canvas::Text(double x, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  Source(color);
  setter_->Draw(cairo_, x, y, 0.0, utf8, style);
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
  Source(color);
  setter_->Draw(
      cairo_, x + half * std::sin(radians), y - half * std::cos(radians), radians, utf8, style);
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
  if (cairo_surface_get_type(surface_) == CAIRO_SURFACE_TYPE_IMAGE) {
    PaintCells(map, surface_, x, y, cell);
  } else if (cell * kCellsOfShapes >= std::max(size_.width, size_.height)) {
    ShapeCells(map, cairo_, x, y, cell);
  } else {
    PlaceImageOfCells(map, cairo_, x, y, cell);
  }
}

}  // namespace headscope
