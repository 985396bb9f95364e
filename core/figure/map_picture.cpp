#include "core/figure/map_picture.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "core/figure/layout.h"

namespace headscope {
namespace {

// Returns black or white, whichever contrasts more.
Rgb InkOn(Rgb ground) {
  const int light = 299 * ground.r + 587 * ground.g + 114 * ground.b;
  return light > 128 * 1000 ? Rgb{0, 0, 0} : Rgb{255, 255, 255};
}

// Draws a frame inside the cell, a tenth of the cell thick.
void FrameCell(Canvas* canvas, double x, double y, double cell, Rgb ink) {
  const double thick = std::max(1.0, std::round(cell / 10.0));
  canvas->Fill(x, y, cell, thick, ink);
  canvas->Fill(x, y + cell - thick, cell, thick, ink);
  canvas->Fill(x, y, thick, cell, ink);
  canvas->Fill(x + cell - thick, y, thick, cell, ink);
}

void DrawMarks(
    Canvas* canvas, int x, int y, const MapPicture& picture, const FigureMap& map, Theme theme) {
  constexpr double kLeastText = 6.0;
  constexpr double kMostText = 28.0;
  constexpr double kLeastFrame = 3.0;
  const double cell = picture.cell;
  for (const CellMark& mark : map.marks) {
    const auto index = static_cast<std::size_t>(mark.row * map.keys + mark.col);
    const Rgb ink = InkOn(ColorOf(map.scale, theme, map.weights[index]));
    const double left = x + cell * static_cast<double>(mark.col);
    const double top = y + cell * static_cast<double>(mark.row);
    if (mark.text.empty()) {
      if (cell >= kLeastFrame) {
        FrameCell(canvas, left, top, cell, ink);
      }
      continue;
    }
    const TextStyle style{.family = FontFamily::kMono, .size_px = std::min(0.4 * cell, kMostText)};
    const TextExtent extent = canvas->setter()->Measure(mark.text, style);
    if (style.size_px >= kLeastText && extent.width <= 0.94 * cell) {
      canvas->TextCentered(
          left + cell / 2.0, top + (cell - extent.height) / 2.0, mark.text, style, ink);
    }
  }
}

}  // namespace

MapPicture FitPicture(const FigureMap& map,
                      double max_width,
                      double max_height,
                      double largest_cell) {
  const MapLayout layout = FitMap(0.0, 0.0, max_width, max_height, map.queries, map.keys);
  MapPicture picture{.rows = map.queries, .cols = map.keys, .cell = 1, .pooled_by = 1};
  if (layout.cell >= 1.0) {
    picture.cell = static_cast<int>(std::min(layout.cell, std::max(1.0, largest_cell)));
  } else {
    const auto pixels = [&layout](std::int64_t cells) {
      return std::clamp<std::int64_t>(
          std::llround(std::floor(layout.cell * static_cast<double>(cells) + 1e-6)), 1, cells);
    };
    picture.rows = pixels(map.queries);
    picture.cols = pixels(map.keys);
  }
  const std::int64_t queries = std::max(map.queries, map.pooled ? map.whole_queries : 0);
  const std::int64_t keys = std::max(map.keys, map.pooled ? map.whole_keys : 0);
  picture.pooled_by = std::max((queries + picture.rows - 1) / picture.rows,
                               (keys + picture.cols - 1) / picture.cols);
  return picture;
}

Status DrawPicture(Canvas* canvas,
                   int x,
                   int y,
                   const MapPicture& picture,
                   const FigureMap& map,
                   Pool pool,
                   Theme theme,
                   const std::stop_token& stop) {
  const auto draw = [&](std::span<const float> weights) {
    canvas->Cells(x, y, picture.cell, {weights, picture.rows, picture.cols, map.scale, theme});
  };
  if (map.view.layer != nullptr) {
    HEADSCOPE_TRY(const auto weights, PooledMap(map.view, picture.rows, picture.cols, pool, stop));
    draw(weights);
  } else if (picture.rows == map.queries && picture.cols == map.keys) {
    draw(map.weights);
    DrawMarks(canvas, x, y, picture, map, theme);
  } else {
    draw(PoolMap(map.weights, map.queries, map.keys, picture.rows, picture.cols, pool));
  }
  return {};
}

std::string PoolingNote(std::int64_t pooled_by, Pool pool) {
  if (pooled_by <= 1) {
    return {};
  }
  return fmt::format("Pooled: each cell drawn is the {1} of up to {0} \u00D7 {0} {2}weights.",
                     pooled_by,
                     pool == Pool::kLargest ? "largest" : "mean",
                     pool == Pool::kLargest ? "" : "visible ");
}

}  // namespace headscope
