// Layers x heads as cells that scroll: the names at their sides scroll along, a bar of colours with
// a mark stays below.
//
// Units    window pixels.
// Threads  UI thread, within a frame.
// Cost     of the cells and names that are in sight.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/views/heads/layout.h"
#include "app/views/kit/ui.h"

namespace headscope {

struct HeadsGridRow {
  std::int64_t layer = 0;
  std::int64_t heads = 0;  // that this layer has, as many as the grid or fewer
};

struct HeadsGridCell {
  Rgb fill;
  std::optional<Rgb> frame = {};
  std::string words = {};  // where the cell has room for them
  Rgb words_on = {};       // what they are to be read on
};

struct HeadsGridLook {
  const char* id = "";
  ModelPart part = ModelPart::kWhole;
  std::vector<HeadsGridRow> rows = {};                       // one for each row of the grid
  std::function<HeadsGridCell(HeadIndex)> cell = {};         // of every head in sight
  std::function<void(const Rect&, HeadIndex)> mark_on = {};  // over a cell
};

// What the pointer is on.
struct HeadsGridPointed {
  HeadIndex head;
  bool clicked = false;
};
// The selected head is framed; none: nothing is pointed at.
std::optional<HeadsGridPointed> DrawHeadsGrid(Ui* ui,
                                              const HeadsGrid& grid,
                                              const HeadsGridLook& look);

struct HeadsGridBar {
  Colormap colormap = Colormap::kViridis;
  std::string low;  // left out where both find no room
  std::string high;
  std::optional<float> mark = {};  // a line across the bar, at so much of its length
  float most_width = 200.0F;       // unscaled
  float free = 12.0F;              // unscaled, at its right
};
// Where the bar stands; no width: there is no room for one.
Rect DrawHeadsGridBar(Ui* ui, const HeadsGrid& grid, const HeadsGridBar& bar);
// The top of the words below the bar and its numbers.
[[nodiscard]] float BelowHeadsGridBar(const Ui& ui, const Rect& bar);

}  // namespace headscope
