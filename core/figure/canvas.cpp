#include "core/figure/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

#include <cairo.h>
#include <fmt/format.h>

#include "core/base/check.h"

namespace headscope {
namespace {

std::uint32_t Packed(Rgb color) {
  return 0xFF000000U | (static_cast<std::uint32_t>(color.r) << 16U) |
         (static_cast<std::uint32_t>(color.g) << 8U) | static_cast<std::uint32_t>(color.b);
}

}  // namespace

struct Canvas::State {
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;
  TextSetter* setter = nullptr;
  int width = 0;
  int height = 0;

  void Source(Rgb color) const {
    cairo_set_source_rgb(cairo, color.r / 255.0, color.g / 255.0, color.b / 255.0);
  }
};

Canvas::Canvas() : state_(std::make_unique<State>()) {}

Canvas::~Canvas() {
  cairo_destroy(state_->cairo);
  cairo_surface_destroy(state_->surface);
}

Result<std::unique_ptr<Canvas>> Canvas::Create(int width,
                                               int height,
                                               Rgb background,
                                               TextSetter* setter) {
  std::unique_ptr<Canvas> canvas(new Canvas());
  State& state = *canvas->state_;
  state.surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  state.cairo = cairo_create(state.surface);
  state.setter = setter;
  state.width = width;
  state.height = height;
  if (cairo_status(state.cairo) != CAIRO_STATUS_SUCCESS) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("a figure of {} x {} pixels cannot be made ({}); ask for fewer pixels",
                            width,
                            height,
                            cairo_status_to_string(cairo_status(state.cairo))));
  }
  canvas->Fill(0.0, 0.0, width, height, background);
  return canvas;
}

void Canvas::Fill(double x, double y, double width, double height, Rgb color) {
  state_->Source(color);
  cairo_rectangle(state_->cairo, x, y, width, height);
  cairo_fill(state_->cairo);
}

void Canvas::FillRounded(
    double x, double y, double width, double height, double radius, Rgb color) {
  constexpr double kQuarter = std::numbers::pi / 2.0;
  const double r = std::min({radius, width / 2.0, height / 2.0});
  cairo_t* cairo = state_->cairo;
  state_->Source(color);
  cairo_new_sub_path(cairo);
  cairo_arc(cairo, x + width - r, y + r, r, -kQuarter, 0.0);
  cairo_arc(cairo, x + width - r, y + height - r, r, 0.0, kQuarter);
  cairo_arc(cairo, x + r, y + height - r, r, kQuarter, 2.0 * kQuarter);
  cairo_arc(cairo, x + r, y + r, r, 2.0 * kQuarter, 3.0 * kQuarter);
  cairo_close_path(cairo);
  cairo_fill(cairo);
}

void Canvas::Frame(double x, double y, double width, double height, double thickness, Rgb color) {
  Fill(x - thickness, y - thickness, width + 2.0 * thickness, thickness, color);
  Fill(x - thickness, y + height, width + 2.0 * thickness, thickness, color);
  Fill(x - thickness, y, thickness, height, color);
  Fill(x + width, y, thickness, height, color);
}

void Canvas::Text(double x, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  state_->Source(color);
  state_->setter->Draw(state_->cairo, x, y, 0.0, utf8, style);
}

void Canvas::TextRight(
    double right, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  Text(right - state_->setter->Measure(utf8, style).width, y, utf8, style, color);
}

void Canvas::TextCentered(
    double middle, double y, std::string_view utf8, const TextStyle& style, Rgb color) {
  Text(middle - state_->setter->Measure(utf8, style).width / 2.0, y, utf8, style, color);
}

void Canvas::TextTurned(
    double x, double y, double radians, std::string_view utf8, const TextStyle& style, Rgb color) {
  const double half = state_->setter->Measure(utf8, style).height / 2.0;
  state_->Source(color);
  state_->setter->Draw(state_->cairo,
                       x + half * std::sin(radians),
                       y - half * std::cos(radians),
                       radians,
                       utf8,
                       style);
}

void Canvas::Cells(int x,
                   int y,
                   int cell,
                   std::span<const float> weights,
                   std::int64_t rows,
                   std::int64_t cols,
                   const ColorScale& scale,
                   Theme theme) {
  HEADSCOPE_CHECK(
      x >= 0 && y >= 0 && x + cell * cols <= state_->width && y + cell * rows <= state_->height,
      "a map lies inside its figure");
  cairo_surface_flush(state_->surface);
  unsigned char* bytes = cairo_image_surface_get_data(state_->surface);
  const int stride = cairo_image_surface_get_stride(state_->surface);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::span<const float> values =
        weights.subspan(static_cast<std::size_t>(row * cols), static_cast<std::size_t>(cols));
    const ColorScale own = ScaleOfRow(scale, values);
    unsigned char* first =
        bytes + static_cast<std::ptrdiff_t>(y + row * cell) * stride + std::ptrdiff_t{4} * x;
    auto* out = static_cast<std::uint32_t*>(static_cast<void*>(first));
    for (const float value : values) {
      out = std::fill_n(out, cell, Packed(ColorOf(own, theme, value)));
    }
    for (int line = 1; line < cell; ++line) {
      std::copy_n(first,
                  static_cast<std::ptrdiff_t>(4) * cell * cols,
                  first + static_cast<std::ptrdiff_t>(line) * stride);
    }
  }
  cairo_surface_mark_dirty(state_->surface);
}

Pixels Canvas::Take() {
  cairo_surface_flush(state_->surface);
  const unsigned char* bytes = cairo_image_surface_get_data(state_->surface);
  const int stride = cairo_image_surface_get_stride(state_->surface);
  Pixels pixels{.width = state_->width, .height = state_->height, .rgb = {}};
  pixels.rgb.reserve(static_cast<std::size_t>(state_->width) *
                     static_cast<std::size_t>(state_->height) * 3U);
  for (int row = 0; row < state_->height; ++row) {
    const auto* line = static_cast<const std::uint32_t*>(
        static_cast<const void*>(bytes + static_cast<std::ptrdiff_t>(row) * stride));
    for (int column = 0; column < state_->width; ++column) {
      const std::uint32_t packed = line[column];
      pixels.rgb.push_back(static_cast<std::uint8_t>((packed >> 16U) & 0xFFU));
      pixels.rgb.push_back(static_cast<std::uint8_t>((packed >> 8U) & 0xFFU));
      pixels.rgb.push_back(static_cast<std::uint8_t>(packed & 0xFFU));
    }
  }
  return pixels;
}

}  // namespace headscope
