// The positions of a map's cells, for the screen and for figures alike.
#pragma once

#include <cstdint>

namespace headscope {

struct MapLayout {
  double x = 0.0;  // top left of cell (0, 0), pixels
  double y = 0.0;
  double cell = 1.0;  // side of a cell, pixels; may be below 1 when a long text is zoomed out
  std::int64_t queries = 0;
  std::int64_t keys = 0;

  [[nodiscard]] double width() const { return cell * static_cast<double>(keys); }
  [[nodiscard]] double height() const { return cell * static_cast<double>(queries); }
};

// Returns the largest layout with square cells that fits. Cells of 1 px or more are rounded down to
// whole pixels if that keeps at least `least_filled` of the possible side; by default always.
[[nodiscard]] MapLayout FitMap(double x,
                               double y,
                               double max_width,
                               double max_height,
                               std::int64_t queries,
                               std::int64_t keys,
                               double least_filled = 0.0);

struct CellIndex {
  std::int64_t query = 0;
  std::int64_t key = 0;
  friend bool operator==(const CellIndex&, const CellIndex&) = default;
};

}  // namespace headscope
