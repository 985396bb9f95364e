#include "core/figure/layout.h"

#include <algorithm>
#include <cmath>

namespace headscope {

MapLayout FitMap(double x,
                 double y,
                 double max_width,
                 double max_height,
                 std::int64_t queries,
                 std::int64_t keys,
                 double least_filled) {
  MapLayout layout{.x = x, .y = y, .cell = 1.0, .queries = queries, .keys = keys};
  if (queries <= 0 || keys <= 0) {
    return layout;
  }
  const double fitting = std::min(std::max(max_width, 0.0) / static_cast<double>(keys),
                                  std::max(max_height, 0.0) / static_cast<double>(queries));
  const double whole = std::floor(fitting);
  layout.cell = fitting >= 1.0 && whole >= least_filled * fitting ? whole : fitting;
  return layout;
}

std::optional<CellIndex> CellAt(const MapLayout& layout, double x, double y) {
  const double column = std::floor((x - layout.x) / layout.cell);
  const double row = std::floor((y - layout.y) / layout.cell);
  // Written this way so that a cell of size 0, which gives NaN, counts as outside.
  if (!(column >= 0.0 && column < static_cast<double>(layout.keys) && row >= 0.0 &&
        row < static_cast<double>(layout.queries))) {
    return std::nullopt;
  }
  return CellIndex{.query = static_cast<std::int64_t>(row),
                   .key = static_cast<std::int64_t>(column)};
}

}  // namespace headscope
