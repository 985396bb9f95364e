// What PNG and PDF have in common: a cairo surface that a figure is drawn on, and the bytes that
// cairo makes of it. For core/figure only.
//
// Errors   kCancelled, kOutOfMemory with cairo's reason.
// Threads  one thread at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <stop_token>
#include <utility>
#include <vector>

#include <cairo.h>

#include "core/base/error.h"
#include "core/figure/figure.h"

namespace headscope {

// Where cairo writes: it gives up once it is told to stop.
class ByteSink {
 public:
  explicit ByteSink(std::stop_token stop) : stop_(std::move(stop)) {}

  // A cairo_write_func_t; `sink` is a ByteSink.
  static cairo_status_t Write(void* sink, const unsigned char* data, unsigned int length);
  [[nodiscard]] std::vector<std::byte> Take() { return std::move(bytes_); }

 private:
  std::stop_token stop_;
  std::vector<std::byte> bytes_;
};

// The theme's ground and the figure on it; `scale`: units of the surface in a pixel.
[[nodiscard]] Status DrawOn(cairo_surface_t* surface,
                            double scale,
                            Figure* figure,
                            FigureSize size,
                            TextSetter* setter,
                            const std::stop_token& stop);

// What cairo says of it, as an error of a figure of that size.
[[nodiscard]] Status CheckCairo(cairo_status_t status,
                                FigureSize size,
                                const std::stop_token& stop);

}  // namespace headscope
