// Rows of maps, with labels on the left and a table below: a layer, the grid of all heads, or one
// layer under several head counts.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/figure/figure.h"
#include "core/figure/figure_map.h"

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

class MapRows final : public Figure {
 public:
  MapRows(FigurePage page, MapRowsContent content);
  ~MapRows() override;
  MapRows(const MapRows&) = delete;
  MapRows& operator=(const MapRows&) = delete;

  [[nodiscard]] const MapRowsContent& content() const { return content_; }

  [[nodiscard]] Result<FigureSize> Measure(TextSetter* setter) override;
  [[nodiscard]] Status Draw(Canvas* canvas, const std::stop_token& stop) override;

 private:
  class Layout;
  MapRowsContent content_;
  std::unique_ptr<Layout> layout_;  // set by Measure
};

}  // namespace headscope
