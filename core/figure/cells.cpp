#include "core/figure/cells.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace headscope {
namespace {

std::uint32_t Packed(Rgb color) {
  return 0xFF000000U | (static_cast<std::uint32_t>(color.r) << 16U) |
         (static_cast<std::uint32_t>(color.g) << 8U) | static_cast<std::uint32_t>(color.b);
}

// The colours of one row.
void ColorRow(const MapCells& map, std::int64_t row, std::vector<Rgb>* colors) {
  const std::span<const float> values = map.weights.subspan(
      static_cast<std::size_t>(row * map.cols), static_cast<std::size_t>(map.cols));
  const ColorScale own = ScaleOfRow(map.scale, values);
  colors->clear();
  for (const float value : values) {
    colors->push_back(ColorOf(own, map.theme, value));
  }
}

}  // namespace

void PaintCells(const MapCells& map, cairo_surface_t* image, int x, int y, int cell) {
  cairo_surface_flush(image);
  unsigned char* bytes = cairo_image_surface_get_data(image);
  const int stride = cairo_image_surface_get_stride(image);
  std::vector<Rgb> colors;
  for (std::int64_t row = 0; row < map.rows; ++row) {
    ColorRow(map, row, &colors);
    unsigned char* first =
        bytes + static_cast<std::ptrdiff_t>(y + row * cell) * stride + std::ptrdiff_t{4} * x;
    auto* out = static_cast<std::uint32_t*>(static_cast<void*>(first));
    for (const Rgb color : colors) {
      out = std::fill_n(out, cell, Packed(color));
    }
    for (int line = 1; line < cell; ++line) {
      std::copy_n(first,
                  static_cast<std::ptrdiff_t>(4) * cell * map.cols,
                  first + static_cast<std::ptrdiff_t>(line) * stride);
    }
  }
  cairo_surface_mark_dirty(image);
}

std::vector<CellShape> ShapesOfCells(const MapCells& map, int x, int y, int cell) {
  const double under = 0.5 * cell;
  std::vector<CellShape> shapes;
  std::vector<Rgb> colors;
  for (std::int64_t row = 0; row < map.rows; ++row) {
    ColorRow(map, row, &colors);
    const auto top = static_cast<double>(y + row * cell);
    const double height = cell + (row + 1 < map.rows ? under : 0.0);
    for (auto first = colors.begin(); first != colors.end();) {
      const auto end = std::find_if(first, colors.end(), [&](Rgb each) { return each != *first; });
      const auto left = static_cast<double>(x + (first - colors.begin()) * cell);
      const auto width = static_cast<double>((end - first) * cell);
      shapes.push_back({left, top, width + (end != colors.end() ? under : 0.0), height, *first});
      first = end;
    }
  }
  return shapes;
}

Surface ImageOfCells(const MapCells& map, int cell) {
  Surface image(cairo_image_surface_create(
      CAIRO_FORMAT_RGB24, static_cast<int>(cell * map.cols), static_cast<int>(cell * map.rows)));
  if (cairo_surface_status(image.get()) == CAIRO_STATUS_SUCCESS) {
    PaintCells(map, image.get(), 0, 0, cell);
  }
  return image;
}

void PlaceImageOfCells(const MapCells& map, cairo_t* cairo, int x, int y, int cell) {
  const Surface image = ImageOfCells(map, cell);
  cairo_set_source_surface(cairo, image.get(), x, y);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
  cairo_paint(cairo);
}

}  // namespace headscope
