// Draws figures as pixels and writes pixels as a PNG: cairo encodes into memory, and the atomic
// writer writes the file.
#include <cstddef>
#include <vector>

#include <cairo.h>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/check.h"
#include "core/figure/cairo_handles.h"
#include "core/figure/figure.h"
#include "core/figure/figure_format.h"
#include "core/figure/pixels.h"
#include "core/figure/surface.h"

namespace headscope {
namespace {

Surface ImageOf(FigureSize size) {
  return Surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, size.width, size.height));
}

std::uint32_t* Line(cairo_surface_t* image, int row) {
  unsigned char* bytes = cairo_image_surface_get_data(image);
  const int stride = cairo_image_surface_get_stride(image);
  return static_cast<std::uint32_t*>(
      static_cast<void*>(bytes + static_cast<std::ptrdiff_t>(row) * stride));
}

}  // namespace

Result<std::vector<std::byte>> DrawPng(Figure* figure,
                                       FigureSize size,
                                       TextSetter* setter,
                                       const std::stop_token& stop) {
  const Surface image = ImageOf(size);
  HEADSCOPE_TRY(DrawOn(image.get(), 1.0, figure, size, setter, stop));
  return EncodePng(image.get(), size, stop);
}

Status WritePng(const std::filesystem::path& path, const Pixels& pixels) {
  HEADSCOPE_CHECK(pixels.width > 0 && pixels.height > 0 &&
                      pixels.rgb.size() == static_cast<std::size_t>(pixels.width) *
                                               static_cast<std::size_t>(pixels.height) * 3U,
                  "a picture has three bytes for each pixel");
  const FigureSize size{pixels.width, pixels.height};
  const Surface image = ImageOf(size);
  if (cairo_surface_status(image.get()) == CAIRO_STATUS_SUCCESS) {
    const std::uint8_t* in = pixels.rgb.data();
    for (int row = 0; row < size.height; ++row) {
      std::uint32_t* out = Line(image.get(), row);
      for (int column = 0; column < size.width; ++column, in += 3) {
        out[column] = 0xFF000000U | (static_cast<std::uint32_t>(in[0]) << 16U) |
                      (static_cast<std::uint32_t>(in[1]) << 8U) | static_cast<std::uint32_t>(in[2]);
      }
    }
    cairo_surface_mark_dirty(image.get());
  }
  const auto png = EncodePng(image.get(), size, {});
  if (!png) {
    return Fail(png.error().code, path.string() + ": " + png.error().message);
  }
  return WriteFileAtomically(path, std::span<const std::byte>(*png));
}

}  // namespace headscope
