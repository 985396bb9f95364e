// The files that a figure can be written as: one row each.
//
// Errors   kInput, kOutOfMemory, kCancelled.
// Threads  any that may compute.
// Cost     the file is made in memory, and the PNG's pixels with it (4 bytes each).
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/figure/figure.h"

namespace headscope {

struct FigureFormat {
  std::string_view ending;  // ".png"
  std::string_view name;    // "PNG"
  std::string_view start;   // what every such file begins with
  bool is_page = false;     // of a size on paper, sharp at any other
  // A figure that is measured, as the bytes of a file.
  Result<std::vector<std::byte>> (*draw)(Figure* figure,
                                         FigureSize size,
                                         TextSetter* setter,
                                         const std::stop_token& stop) = nullptr;
};

[[nodiscard]] std::span<const FigureFormat> AllFigureFormats();
// By the ending, in letters of either case; null: no figure is written as that.
[[nodiscard]] const FigureFormat* FormatOf(const std::filesystem::path& path);
// ".png or .pdf".
[[nodiscard]] std::string FigureEndings();

// One for each row above.
[[nodiscard]] Result<std::vector<std::byte>> DrawPng(Figure* figure,
                                                     FigureSize size,
                                                     TextSetter* setter,
                                                     const std::stop_token& stop);
// One page with its fonts, its texts as text and large cells as shapes; without dates.
[[nodiscard]] Result<std::vector<std::byte>> DrawPdf(Figure* figure,
                                                     FigureSize size,
                                                     TextSetter* setter,
                                                     const std::stop_token& stop);

}  // namespace headscope
