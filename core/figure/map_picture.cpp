#include "core/figure/map_picture.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/figure/layout.h"
#include "core/figure/pool.h"

namespace headscope {

MapPicture FitPicture(const FigureMap& map,
                      double max_width,
                      double max_height,
                      double largest_cell) {
  const MapLayout layout = FitMap(0.0, 0.0, max_width, max_height, map.queries, map.keys);
  MapPicture picture{.rows = map.queries, .cols = map.keys, .cell = 1, .pooled_by = 1};
  if (layout.cell >= 1.0) {
    picture.cell = static_cast<int>(std::min(layout.cell, std::max(1.0, largest_cell)));
    return picture;
  }
  const auto pixels = [&layout](std::int64_t cells) {
    return std::clamp<std::int64_t>(
        std::llround(std::floor(layout.cell * static_cast<double>(cells) + 1e-6)), 1, cells);
  };
  picture.rows = pixels(map.queries);
  picture.cols = pixels(map.keys);
  picture.pooled_by = std::max((map.queries + picture.rows - 1) / picture.rows,
                               (map.keys + picture.cols - 1) / picture.cols);
  return picture;
}

void DrawPicture(
    Canvas* canvas, int x, int y, const MapPicture& picture, const FigureMap& map, Theme theme) {
  if (picture.rows == map.queries && picture.cols == map.keys) {
    canvas->Cells(x, y, picture.cell, map.weights, picture.rows, picture.cols, map.scale, theme);
    return;
  }
  const std::vector<float> pooled =
      PoolLargest(map.weights, map.queries, map.keys, picture.rows, picture.cols);
  canvas->Cells(x, y, picture.cell, pooled, picture.rows, picture.cols, map.scale, theme);
}

std::string PoolingNote(std::int64_t pooled_by) {
  if (pooled_by <= 1) {
    return {};
  }
  return fmt::format(
      "Pooled: there are more weights than pixels; a pixel shows the largest of up to {0} \u00D7 "
      "{0} "
      "weights.",
      pooled_by);
}

}  // namespace headscope
