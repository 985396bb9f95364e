// What the window says of what losing the selected head costs, and of what it writes.
#pragma once

#include <optional>
#include <string>

#include "app/state/app_state.h"

namespace headscope {

// What is said of the selected head; none: heads are off, or the model has none to take away.
[[nodiscard]] std::optional<CostPlace> CostPlaceInView(const AppState& state);

struct CostWords {
  std::string line;  // "Without it: loss 4.04 → 3.89. At “old” it raises “captain” +1.00."
  std::string more;  // of a tooltip
};
[[nodiscard]] CostWords WordsOfCost(const AppState& state, const CostPlace& place);

}  // namespace headscope
