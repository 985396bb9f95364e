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

}  // namespace headscope
