// A table as a figure: its columns side by side, as many rows as there is room for.
//
// Threads  as in core/figure/figure.h.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/figure/page_figure.h"
#include "core/io/table.h"

namespace headscope {

struct TableContent {
  Table table;
  // [row], or empty: a dot before the row.
  std::vector<std::optional<std::uint32_t>> dots = {};
};

using TableFigure = PageFigure<TableContent>;

}  // namespace headscope
