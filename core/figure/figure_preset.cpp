#include "core/figure/figure_preset.h"

#include <algorithm>
#include <cmath>

#include "core/base/parse_number.h"

namespace headscope {
namespace {

constexpr double kCentimetresPerInch = 2.54;
constexpr double kScreenPixelsPerInch = 96.0;

FigureWidth OnPaper(double centimetres) {
  return {.pixels = static_cast<int>(
              std::lround(centimetres / kCentimetresPerInch * kPrintedPixelsPerInch)),
          .pixels_per_inch = kPrintedPixelsPerInch,
          .is_on_paper = true};
}

}  // namespace

const FigurePreset* FindPreset(std::string_view id) {
  const auto* const found = std::ranges::find(kFigurePresets, id, &FigurePreset::id);
  return found != kFigurePresets.end() ? found : nullptr;
}

std::optional<FigureWidth> ParseFigureWidth(std::string_view text) {
  const bool is_on_paper = text.ends_with("cm");
  if (is_on_paper || text.ends_with("px")) {
    text.remove_suffix(2);
  }
  while (text.ends_with(' ')) {
    text.remove_suffix(1);
  }
  constexpr double kWidest = 500.0;  // centimetres
  if (is_on_paper) {
    const auto centimetres = ParseAs<double>(text);
    return centimetres && *centimetres > 0.0 && *centimetres <= kWidest
               ? std::optional(OnPaper(*centimetres))
               : std::nullopt;
  }
  const auto pixels = ParseAs<int>(text);
  return pixels && *pixels > 0 ? std::optional(FigureWidth{.pixels = *pixels,
                                                           .pixels_per_inch = kScreenPixelsPerInch})
                               : std::nullopt;
}

FigureWidth WidthOf(const FigurePreset& preset) {
  return preset.centimetres > 0.0
             ? OnPaper(preset.centimetres)
             : FigureWidth{.pixels = preset.pixels, .pixels_per_inch = kScreenPixelsPerInch};
}

}  // namespace headscope
