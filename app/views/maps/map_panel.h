// One map in full with what belongs to it: tokens, what a cell stands for, the bar of colours, and
// the sentence shaded by the selected row. Of a captured head and of a head of a cut alike.
#pragma once

#include <cstdint>

#include "app/state/inspect/row_words.h"
#include "app/state/queries.h"
#include "app/views/kit/pen.h"

namespace headscope {

struct MapPanel {
  FullMap full;
  ColorScale scale;
  bool dimmed = false;
  float below = 0.0F;        // what stands below the map has a share of its own; the map the rest
  float text_height = 0.0F;  // of the shaded text at most
};

// Draws it in the detail panel; the row that is told lasts as long as the frame.
RowWeights DrawMapPanel(Pen* pen, const MapPanel& panel);

// A row with its exact weights, `query` within the map; valid until another is asked for, at most as long
// as the frame.
[[nodiscard]] RowWeights RowAt(Ui* ui, const FullMap& full, std::int64_t query);
// The one that is selected.
[[nodiscard]] RowWeights RowInFull(Ui* ui, const FullMap& full);

// While zoomed: a button at the right end of a line that says how much, and goes back to the whole
// map. Returns its width.
float DrawFit(Ui* ui, float right, float y);

}  // namespace headscope
