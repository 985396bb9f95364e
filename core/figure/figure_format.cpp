#include "core/figure/figure_format.h"

#include <algorithm>
#include <array>

namespace headscope {
namespace {

constexpr std::array<FigureFormat, 2> kFormats = {{
    {.ending = ".png",
     .name = "PNG",
     .start = std::string_view("\x89PNG\r\n\x1a\n", 8),
     .is_page = false,
     .draw = DrawPng},
    {.ending = ".pdf", .name = "PDF", .start = "%PDF-", .is_page = true, .draw = DrawPdf},
}};

}  // namespace

std::span<const FigureFormat> AllFigureFormats() {
  return kFormats;
}

const FigureFormat* FormatOf(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  const auto* const found = std::ranges::find(kFormats, ending, &FigureFormat::ending);
  return found == kFormats.end() ? nullptr : found;
}

std::string FigureEndings() {
  std::string endings;
  for (const FigureFormat& format : kFormats) {
    endings += endings.empty() ? "" : " or ";
    endings += format.ending;
  }
  return endings;
}

}  // namespace headscope
