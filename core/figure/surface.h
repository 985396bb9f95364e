// Code that the file formats share: a surface to draw a figure on, and the bytes that cairo makes of
// it. For core/figure only.
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

// Receives cairo's output; it fails once a stop is requested.
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

// Draws the theme's background and the figure; `scale`: surface units per pixel.
[[nodiscard]] Status DrawOn(cairo_surface_t* surface,
                            double scale,
                            Figure* figure,
                            FigureSize size,
                            TextSetter* setter,
                            const std::stop_token& stop);

[[nodiscard]] Status DrawOn(Canvas* canvas,
                            Figure* figure,
                            FigureSize size,
                            const std::stop_token& stop);

// Returns the file of an image's pixels.
[[nodiscard]] Result<std::vector<std::byte>> EncodePng(cairo_surface_t* image,
                                                       FigureSize size,
                                                       const std::stop_token& stop);

// Turns cairo's status into an error about a figure of that size.
[[nodiscard]] Status CheckCairo(cairo_status_t status,
                                FigureSize size,
                                const std::stop_token& stop);

}  // namespace headscope
