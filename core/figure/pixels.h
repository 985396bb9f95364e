// A figure, or a screenshot, as pixels.
//
// Errors   as in core/figure/figure.h.
// Threads  any that may compute.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/figure/figure.h"

namespace headscope {

struct Pixels {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  // [height, width, 3]
};

[[nodiscard]] Result<Pixels> RenderFigure(Figure* figure, const std::stop_token& stop = {});
// Draws a figure that is already measured.
[[nodiscard]] Result<Pixels> DrawPixels(Figure* figure,
                                        FigureSize size,
                                        TextSetter* setter,
                                        const std::stop_token& stop);
// Writes a PNG, completely or not at all.
[[nodiscard]] Status WritePng(const std::filesystem::path& path, const Pixels& pixels);

}  // namespace headscope
