// The file formats of figures: one row each.
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
  std::string_view start;   // the first bytes of every such file
  bool is_page = false;     // has a size on paper, and is sharp at any zoom
  // Draws a measured figure and returns the bytes of a file.
  Result<std::vector<std::byte>> (*draw)(Figure* figure,
                                         FigureSize size,
                                         TextSetter* setter,
                                         const std::stop_token& stop) = nullptr;
};

[[nodiscard]] std::span<const FigureFormat> AllFigureFormats();
// Finds the format by the extension, in upper or lower case; null: there is no such format.
[[nodiscard]] const FigureFormat* FormatOf(const std::filesystem::path& path);
// Returns ".png, .pdf or .svg", and other endings after these: ".png, .pdf, .svg or .json".
[[nodiscard]] std::string FigureEndings(std::span<const std::string_view> others = {});

// One function for each row above.
[[nodiscard]] Result<std::vector<std::byte>> DrawPng(Figure* figure,
                                                     FigureSize size,
                                                     TextSetter* setter,
                                                     const std::stop_token& stop);
// Draws one page with embedded fonts, text as text, large cells as shapes, and no dates.
[[nodiscard]] Result<std::vector<std::byte>> DrawPdf(Figure* figure,
                                                     FigureSize size,
                                                     TextSetter* setter,
                                                     const std::stop_token& stop);
// Draws a document with text as text, large cells as shapes and small ones as images, and no dates.
[[nodiscard]] Result<std::vector<std::byte>> DrawSvg(Figure* figure,
                                                     FigureSize size,
                                                     TextSetter* setter,
                                                     const std::stop_token& stop);

}  // namespace headscope
