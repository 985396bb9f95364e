// The order of the heads in the grid, and which of them are shown.
#pragma once

#include <string>

namespace headscope {

enum class GridOrder { kName, kRole, kFlag, kScore };
enum class GridFlags { kAll, kFlagged, kUnflagged };

struct GridLook {
  GridOrder order = GridOrder::kName;
  std::string role;  // flagged or suggested so; empty: any
  GridFlags flags = GridFlags::kAll;
  std::string least;  // score, as typed; empty: any
  friend bool operator==(const GridLook&, const GridLook&) = default;
};

}  // namespace headscope
