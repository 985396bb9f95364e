#include "core/figure/cairo_canvas.h"

#include <algorithm>
#include <numbers>

namespace headscope {
namespace {

// Figures with fewer cells along a side use shapes: at most about 65,000 of them.
constexpr int kCellsOfShapes = 256;

}  // namespace

CairoCanvas::CairoCanvas(cairo_surface_t* surface,
                         FigureSize size,
                         double scale,
                         TextSetter* setter)
    : Canvas(size, setter),
      surface_(surface),
      cairo_(cairo_create(surface)),
      has_own_pixels_(scale == 1.0 && cairo_surface_get_type(surface) == CAIRO_SURFACE_TYPE_IMAGE) {
  cairo_scale(cairo_.get(), scale, scale);
}

void CairoCanvas::Source(Rgb color, double alpha) {
  cairo_set_source_rgba(cairo_.get(), color.r / 255.0, color.g / 255.0, color.b / 255.0, alpha);
}

void CairoCanvas::Fill(double x, double y, double width, double height, Rgb color) {
  Source(color);
  cairo_rectangle(cairo_.get(), x, y, width, height);
  cairo_fill(cairo_.get());
}

void CairoCanvas::FillRounded(
    double x, double y, double width, double height, double radius, Rgb color) {
  constexpr double kQuarter = std::numbers::pi / 2.0;
  const double r = std::min({radius, width / 2.0, height / 2.0});
  cairo_t* const cairo = cairo_.get();
  Source(color);
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, x + width - r, y + r, r, -kQuarter, 0.0);
  cairo_arc(cairo, x + width - r, y + height - r, r, 0.0, kQuarter);
  cairo_arc(cairo, x + r, y + height - r, r, kQuarter, 2.0 * kQuarter);
  cairo_arc(cairo, x + r, y + r, r, 2.0 * kQuarter, 3.0 * kQuarter);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

void CairoCanvas::Line(
    double x0, double y0, double x1, double y1, double thickness, Rgb color, double alpha) {
  Source(color, alpha);
  cairo_set_line_width(cairo_.get(), thickness);
  cairo_move_to(cairo_.get(), x0 + 0.5, y0 + 0.5);
  cairo_line_to(cairo_.get(), x1 + 0.5, y1 + 0.5);
  cairo_stroke(cairo_.get());
}

void CairoCanvas::Circle(double x, double y, double radius, double ring, Rgb color, double alpha) {
  Source(color, alpha);
  cairo_new_sub_path(cairo_.get());
  cairo_arc(cairo_.get(), x + 0.5, y + 0.5, radius, 0.0, 2.0 * std::numbers::pi);
  if (ring > 0.0) {
    cairo_set_line_width(cairo_.get(), ring);
    cairo_stroke(cairo_.get());
  } else {
    cairo_fill(cairo_.get());
  }
}

void CairoCanvas::Strokes(std::span<const Stroke> strokes, const Rect& clip) {
  const auto wide = [](float value) { return static_cast<double>(value); };
  cairo_t* const cairo = cairo_.get();
  cairo_save(cairo);
  cairo_rectangle(cairo, wide(clip.x), wide(clip.y), wide(clip.width), wide(clip.height));
  cairo_clip(cairo);
  for (const Stroke& stroke : strokes) {
    Source(stroke.color, wide(stroke.alpha));
    cairo_set_line_width(cairo, wide(stroke.thickness));
    const double dash = wide(stroke.dash);
    cairo_set_dash(cairo, &dash, dash > 0.0 ? 1 : 0, 0.0);
    cairo_move_to(cairo, wide(stroke.x0), wide(stroke.y0));
    if (stroke.rise == 0.0F) {
      cairo_line_to(cairo, wide(stroke.x1), wide(stroke.y1));
    } else {
      const auto [first, second] = ControlsOf(stroke);
      cairo_curve_to(cairo,
                     wide(first.x),
                     wide(first.y),
                     wide(second.x),
                     wide(second.y),
                     wide(stroke.x1),
                     wide(stroke.y1));
    }
    cairo_stroke(cairo);
  }
  cairo_restore(cairo);
}

void CairoCanvas::SetText(
    double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color) {
  Source(color);
  setter()->Draw(cairo_.get(), x, y, radians, utf8, style);
}

void CairoCanvas::DrawCells(int x, int y, int cell, const MapCells& map) {
  if (has_own_pixels_) {
    PaintCells(map, surface_, x, y, cell);
  } else if (cell * kCellsOfShapes >= std::max(size().width, size().height)) {
    for (const CellShape& shape : ShapesOfCells(map, x, y, cell)) {
      Fill(shape.x, shape.y, shape.width, shape.height, shape.color);
    }
  } else {
    PlaceImageOfCells(map, cairo_.get(), x, y, cell);
  }
}

}  // namespace headscope
