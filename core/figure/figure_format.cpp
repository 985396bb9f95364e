#include "core/figure/figure_format.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace headscope {
namespace {

constexpr std::array<FigureFormat, 3> kFormats = {{
    {.ending = ".png",
     .name = "PNG",
     .start = std::string_view("\x89PNG\r\n\x1a\n", 8),
     .is_page = false,
     .draw = DrawPng},
    {.ending = ".pdf", .name = "PDF", .start = "%PDF-", .is_page = true, .draw = DrawPdf},
    {.ending = ".svg", .name = "SVG", .start = "<svg ", .is_page = true, .draw = DrawSvg},
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

std::string FigureEndings(std::span<const std::string_view> others) {
  std::vector<std::string_view> all;
  for (const FigureFormat& format : kFormats) {
    all.push_back(format.ending);
  }
  all.insert(all.end(), others.begin(), others.end());
  const std::span<const std::string_view> first = std::span(all).first(all.size() - 1);
  return fmt::format("{} or {}", fmt::join(first, ", "), all.back());
}

}  // namespace headscope
