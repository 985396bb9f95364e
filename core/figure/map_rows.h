// Rows of maps, with labels on the left and a table below: a layer, the grid of all heads, or one
// layer under several head counts.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/figure/figure_map.h"
#include "core/figure/page_figure.h"

namespace headscope {

struct FigureRow {
  std::string label;     // "L5", "h = 4"
  std::string sublabel;  // "d_k 96"
  std::vector<FigureMap> maps;
  // The row is divided into this many slots, each with a map in its middle; 0: one slot for each
  // map.
  std::int64_t slots = 0;
  bool marked = false;  // its label has the accent colour: the trained count
};

struct MapRowsContent {
  std::vector<FigureRow> rows;
  std::vector<std::string> column_labels;       // above the columns; replace the maps' titles
  std::vector<std::vector<std::string>> table;  // below the maps; the first row is the header
  std::int64_t marked_table_row = -1;           // in the accent colour
  Pool pool = Pool::kLargest;  // for maps with more cells than pixels; a note says so
};

using MapRows = PageFigure<MapRowsContent>;

}  // namespace headscope
