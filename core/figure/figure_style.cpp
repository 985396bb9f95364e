#include "core/figure/figure_style.h"

#include <algorithm>

namespace headscope {
namespace {

constexpr double kCaption = 12.0;  // units
constexpr double kPointsPerInch = 72.0;

FigureStyle StyleOfUnit(double unit) {
  FigureStyle style;
  style.unit = unit;
  style.margin = 30.0 * unit;
  style.title = {.family = FontFamily::kSans, .size_px = 22.0 * unit, .bold = true};
  style.subtitle = {.family = FontFamily::kSans, .size_px = 13.0 * unit};
  style.label = {.family = FontFamily::kSans, .size_px = 13.0 * unit, .bold = true};
  style.small = {.family = FontFamily::kMono, .size_px = 10.5 * unit};
  style.caption = {.family = FontFamily::kSans, .size_px = kCaption * unit};
  style.table = {.family = FontFamily::kMono, .size_px = 11.0 * unit};
  style.largest_token = std::max(8.5, 13.0 * unit);
  style.smallest_token = std::max(8.5, 8.0 * unit);
  return style;
}

}  // namespace

FigureStyle StyleFor(int size_px) {
  // Text grows more slowly than the figure, so that small figures stay readable.
  return StyleOfUnit(0.3 + 0.7 * static_cast<double>(size_px) / 1000.0);
}

FigureStyle StyleFor(const FigurePage& page) {
  const FigureLook& look = page.look;
  if (look.font_points <= 0.0) {
    return StyleFor(page.size_px);
  }
  FigureStyle style =
      StyleOfUnit(look.font_points / kPointsPerInch * look.pixels_per_inch / kCaption);
  // A page around it has margins of its own.
  style.margin = std::min(style.margin, 0.02 * page.size_px);
  return style;
}

}  // namespace headscope
