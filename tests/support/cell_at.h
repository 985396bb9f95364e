// Which cell of a map is under a point.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

#include "core/figure/layout.h"

namespace headscope::test {

// Returns the cell under a point; empty outside the map.
inline std::optional<CellIndex> CellAt(const MapLayout& layout, double x, double y) {
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

}  // namespace headscope::test
