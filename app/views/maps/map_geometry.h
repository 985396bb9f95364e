// The large map: which cells are shown where, and which is under the pointer.
//
// Units    window pixels; cells may be fractions while zoomed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "app/render/scene.h"
#include "app/state/inspect/selection.h"
#include "core/figure/layout.h"

namespace headscope {

// Where a large map may stand: whole, and while it is zoomed. Both have the same top left corner;
// the second is no smaller.
struct MapSpace {
  Rect whole;
  Rect zoomed;
};

struct MapGeometry {
  Rect target;             // on the window
  Rect whole;              // what the whole map takes without zoom
  MapSize size;            // of the target, and the room in whole maps
  double first_key = 0.0;  // the part shown, in cells
  double first_query = 0.0;
  double shown_keys = 1.0;
  double shown_queries = 1.0;
  std::int64_t keys = 1;
  std::int64_t queries = 1;

  [[nodiscard]] double cell_width() const { return static_cast<double>(target.width) / shown_keys; }
  [[nodiscard]] double cell_height() const {
    return static_cast<double>(target.height) / shown_queries;
  }
  // Left edge of a column and top edge of a row; may lie outside of the target.
  [[nodiscard]] double KeyX(std::int64_t key) const;
  [[nodiscard]] double QueryY(std::int64_t query) const;
  [[nodiscard]] Rect Source() const;                                    // for a MapPlacement
  [[nodiscard]] std::optional<CellIndex> At(double x, double y) const;  // none outside
  // The cell's rectangle, clipped to the target.
  [[nodiscard]] Rect CellRect(CellIndex cell) const;
};

// Square cells, the largest that fit into `space.whole`: of whole pixels where these fill nine
// tenths of it, else of fractions; the zoom's part, as large as there is room for it. Where one
// side would be less than a third of the other, its cells are longer, as far as they fit.
[[nodiscard]] MapGeometry PlaceMap(const MapSpace& space,
                                   std::int64_t queries,
                                   std::int64_t keys,
                                   const MapZoom& zoom);

// Marks of a row at both sides of the map, for the row whose weights are told beside it:
// `width` wide, as high as the row, no lower than twice that. None where the row is not shown.
struct RowMarks {
  Rect left;
  Rect right;
};
[[nodiscard]] std::optional<RowMarks> MarksOfRow(const MapGeometry& geometry,
                                                 std::int64_t query,
                                                 float width);

// What a cell on screen stands for, where that is not plain: cells of fractions of pixels, or
// several weights to a pixel. "" where it is.
[[nodiscard]] std::string CellWords(const MapGeometry& geometry);

// A large map at (x, y) in a panel: square, with `below` pixels left under it for what belongs to
// it. In a low panel that scrolls instead of making the map too small to read; a zoomed map leaves
// room for its bar of colours, and for the sentence in a high panel.
struct MapSpaceRequest {
  Rect panel;
  float x = 0.0F;
  float y = 0.0F;
  float width = 0.0F;
  float below = 0.0F;
  float scale = 1.0F;
};
[[nodiscard]] MapSpace SpaceForMap(const MapSpaceRequest& request);

// The largest rectangle in `cell` that has the shape of a map, or 1:2 and 2:1 at most; centred.
[[nodiscard]] Rect ShapeOfMap(const Rect& cell, std::int64_t queries, std::int64_t keys);

// Which of `count` labels to draw so that they stand at least `spacing` apart: every 1st, 2nd, 5th,
// 10th, ... within [first, last).
struct LabelRun {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t step = 1;
};
[[nodiscard]] LabelRun ThinLabels(
    double first_shown, double shown, double cell, double spacing, std::int64_t count);

}  // namespace headscope
