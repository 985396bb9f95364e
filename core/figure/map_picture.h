// One map at the size it is drawn with: its own cells, or pooled to one pixel a cell.
//
// Units    whole pixels.
// Threads  plain values.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/figure/canvas.h"
#include "core/figure/figure_map.h"

namespace headscope {

struct MapPicture {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int cell = 1;
  std::int64_t pooled_by = 1;  // the most cells of the whole map along one side of a drawn one

  [[nodiscard]] int width() const { return static_cast<int>(cell * cols); }
  [[nodiscard]] int height() const { return static_cast<int>(cell * rows); }
};

// The largest picture of the map in max_width x max_height; cells of `largest_cell` at most.
[[nodiscard]] MapPicture FitPicture(const FigureMap& map,
                                    double max_width,
                                    double max_height,
                                    double largest_cell);

// kCancelled where a map that is read while it is drawn was stopped.
[[nodiscard]] Status DrawPicture(Canvas* canvas,
                                 int x,
                                 int y,
                                 const MapPicture& picture,
                                 const FigureMap& map,
                                 Pool pool,
                                 Theme theme,
                                 const std::stop_token& stop);

// "" where nothing is pooled.
[[nodiscard]] std::string PoolingNote(std::int64_t pooled_by, Pool pool);

}  // namespace headscope
