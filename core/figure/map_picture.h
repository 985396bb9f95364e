// One map at the size at which it is drawn: its own cells, or pooled to one pixel per cell.
//
// Units    whole pixels.
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
  std::int64_t pooled_by = 1;  // the most map cells along one side of a drawn cell

  [[nodiscard]] int width() const { return static_cast<int>(cell * cols); }
  [[nodiscard]] int height() const { return static_cast<int>(cell * rows); }
};

// Returns the largest picture of the map that fits max_width x max_height, with cells of at most
// `largest_cell`.
[[nodiscard]] MapPicture FitPicture(const FigureMap& map,
                                    double max_width,
                                    double max_height,
                                    double largest_cell);

// kCancelled: drawing a map that is read on the fly was stopped.
[[nodiscard]] Status DrawPicture(Canvas* canvas,
                                 int x,
                                 int y,
                                 const MapPicture& picture,
                                 const FigureMap& map,
                                 Pool pool,
                                 Theme theme,
                                 const std::stop_token& stop);

// Returns "" if nothing is pooled.
[[nodiscard]] std::string PoolingNote(std::int64_t pooled_by, Pool pool);

}  // namespace headscope
