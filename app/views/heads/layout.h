// Where the parts of the Heads screen stand: the list of metrics at the left, the map of heads, the
// scatter below it; or one of the scatter, the list and the series alone.
//
// Units    window pixels.
#pragma once

#include <cstdint>
#include <optional>

#include "app/state/heads/scores.h"
#include "app/views/kit/layout.h"

namespace headscope {

struct HeadsLayout {
  Rect metrics;
  Rect map;        // no height: not shown
  Rect scatter;    // likewise
  Rect list;       // likewise
  Rect series;     // likewise
  Rect relations;  // likewise; without the metrics
};
[[nodiscard]] HeadsLayout LayOutHeads(const Rect& area,
                                      HeadsView view,
                                      std::int64_t layers,
                                      float scale);

// Cells of layers x heads with names at the top and the left, and a bar of colours below; cells that
// would be too small scroll.
struct HeadsGrid {
  Rect area;
  float left = 0.0F;  // of the first cell, in the area
  float top = 0.0F;
  float cell_width = 0.0F;
  float cell_height = 0.0F;
  float gap = 0.0F;
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  float bar_height = 0.0F;  // what the bar of colours takes at the bottom of the area

  [[nodiscard]] Rect Cell(std::int64_t layer, std::int64_t head, float sx, float sy) const;
  [[nodiscard]] std::optional<HeadIndex> At(float x, float y, float sx, float sy) const;
  [[nodiscard]] float content_width() const;
  [[nodiscard]] float content_height() const;
};
[[nodiscard]] HeadsGrid LayOutHeadsGrid(const Rect& area,
                                        std::int64_t layers,
                                        std::int64_t heads,
                                        float scale);

}  // namespace headscope
