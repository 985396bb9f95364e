#include "core/figure/figure_style.h"

#include <algorithm>

namespace headscope {

FigureStyle StyleFor(int size_px) {
  FigureStyle style;
  // Text grows more slowly than the figure, so that small figures stay readable.
  const double unit = 0.3 + 0.7 * static_cast<double>(size_px) / 1000.0;
  style.unit = unit;
  style.margin = 30.0 * unit;
  style.title = {.family = FontFamily::kSans, .size_px = 22.0 * unit, .bold = true};
  style.subtitle = {.family = FontFamily::kSans, .size_px = 13.0 * unit};
  style.label = {.family = FontFamily::kSans, .size_px = 13.0 * unit, .bold = true};
  style.small = {.family = FontFamily::kMono, .size_px = 10.5 * unit};
  style.caption = {.family = FontFamily::kSans, .size_px = 12.0 * unit};
  style.table = {.family = FontFamily::kMono, .size_px = 11.0 * unit};
  style.largest_token = std::max(8.5, 13.0 * unit);
  style.smallest_token = std::max(8.5, 8.0 * unit);
  return style;
}

}  // namespace headscope
