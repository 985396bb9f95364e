// WritePng: cairo encodes into memory, the atomic writer does the rest.
#include <cstddef>
#include <new>
#include <vector>

#include <cairo.h>
#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/check.h"
#include "core/figure/figure.h"

namespace headscope {
namespace {

cairo_status_t Append(void* closure, const unsigned char* data, unsigned int length) {
  auto* bytes = static_cast<std::vector<std::byte>*>(closure);
  try {
    const auto* first = static_cast<const std::byte*>(static_cast<const void*>(data));
    bytes->insert(bytes->end(), first, first + length);
  } catch (const std::bad_alloc&) {
    return CAIRO_STATUS_NO_MEMORY;
  }
  return CAIRO_STATUS_SUCCESS;
}

}  // namespace

Status WritePng(const std::filesystem::path& path, const Pixels& pixels) {
  HEADSCOPE_CHECK(pixels.width > 0 && pixels.height > 0 &&
                      pixels.rgb.size() == static_cast<std::size_t>(pixels.width) *
                                               static_cast<std::size_t>(pixels.height) * 3U,
                  "a picture has three bytes for each pixel");
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, pixels.width, pixels.height);
  cairo_status_t status = cairo_surface_status(surface);
  std::vector<std::byte> png;
  if (status == CAIRO_STATUS_SUCCESS) {
    unsigned char* bytes = cairo_image_surface_get_data(surface);
    const int stride = cairo_image_surface_get_stride(surface);
    const std::uint8_t* in = pixels.rgb.data();
    for (int row = 0; row < pixels.height; ++row) {
      auto* out = static_cast<std::uint32_t*>(
          static_cast<void*>(bytes + static_cast<std::ptrdiff_t>(row) * stride));
      for (int column = 0; column < pixels.width; ++column, in += 3) {
        out[column] = 0xFF000000U | (static_cast<std::uint32_t>(in[0]) << 16U) |
                      (static_cast<std::uint32_t>(in[1]) << 8U) | static_cast<std::uint32_t>(in[2]);
      }
    }
    cairo_surface_mark_dirty(surface);
    status = cairo_surface_write_to_png_stream(surface, &Append, &png);
  }
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS) {
    return Fail(ErrorCode::kOutOfMemory,
                fmt::format("{}: a picture of {} x {} pixels cannot be encoded ({}); ask for fewer "
                            "pixels",
                            path.string(),
                            pixels.width,
                            pixels.height,
                            cairo_status_to_string(status)));
  }
  return WriteFileAtomically(path, std::span<const std::byte>(png));
}

}  // namespace headscope
