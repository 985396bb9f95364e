// Where the thumbnails of all heads stand, each under its name: rows are layers and columns are heads,
// or they follow one another in an order, line by line.
//
// Units    window pixels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "app/render/scene.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

// A place of those in an order is {line, column} in the place of {layer, head}.
struct GridLayout {
  Rect view;   // that scrolls, bars included
  Rect cells;  // where cells are seen: the view without its bars
  float content_width = 0.0F;
  float content_height = 0.0F;
  float cell_width = 0.0F;
  float cell_height = 0.0F;
  float name_height = 0.0F;  // above each cell, where no axis names it
  float role_height = 0.0F;  // below each cell: a bar, and a word where there is room
  float gap = 0.0F;
  float margin = 0.0F;  // around the cells, for the outline of the selected one
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  ModelPart part = ModelPart::kWhole;  // of the heads that At finds

  [[nodiscard]] Rect Cell(HeadIndex head, float scroll_x, float scroll_y) const;
  // Where one of those in an order stands.
  [[nodiscard]] HeadIndex PlaceOf(std::size_t index) const {
    const auto flat = static_cast<std::int64_t>(index);
    return {flat / heads, flat % heads, part};
  }
  // The cell with what stands above and below it.
  [[nodiscard]] Rect Whole(HeadIndex head, float scroll_x, float scroll_y) const;
  [[nodiscard]] bool Shows(const Rect& cell) const;
  [[nodiscard]] std::optional<HeadIndex> At(float x, float y, float scroll_x, float scroll_y) const;
};

struct GridRequest {
  Rect area;
  Rect visible;  // what a sheet leaves of it to be seen
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  ModelPart part = ModelPart::kWhole;
  bool in_lines = false;  // `heads` of them in all, in as many lines as they need
  float aspect = 1.0F;    // width to height of a map; cells go no further than 1:2 and 2:1
  float scale = 1.0F;
  float bar = 10.0F;  // how wide a scroll bar is
};

// Fills the area if the cells are then neither too small nor too large, else scrolls.
[[nodiscard]] GridLayout LayOutGrid(const GridRequest& request);

}  // namespace headscope
