// A figure as pixels, without a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stop_token>

#include <cairo.h>

#include "core/figure/cairo_handles.h"
#include "core/figure/figure.h"
#include "core/figure/pixels.h"
#include "core/figure/surface.h"
#include "core/figure/text_layout.h"

namespace headscope::test {

inline Result<Pixels> RenderFigure(Figure* figure, const std::stop_token& stop = {}) {
  TextSetter setter;
  HEADSCOPE_TRY(const auto size, MeasureFigure(figure, &setter));
  const Surface image(cairo_image_surface_create(CAIRO_FORMAT_RGB24, size.width, size.height));
  HEADSCOPE_TRY(DrawOn(image.get(), 1.0, figure, size, &setter, stop));
  cairo_surface_flush(image.get());
  const unsigned char* const bytes = cairo_image_surface_get_data(image.get());
  const int stride = cairo_image_surface_get_stride(image.get());
  Pixels pixels{.width = size.width, .height = size.height, .rgb = {}};
  for (int row = 0; row < size.height; ++row) {
    const auto* const line =
        reinterpret_cast<const std::uint32_t*>(bytes + static_cast<std::ptrdiff_t>(row) * stride);
    for (int column = 0; column < size.width; ++column) {
      for (const unsigned shift : {16U, 8U, 0U}) {
        pixels.rgb.push_back(static_cast<std::uint8_t>((line[column] >> shift) & 0xFFU));
      }
    }
  }
  return pixels;
}

}  // namespace headscope::test
