// What the rows of maps and the panel beside them both need to say about a head count.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

struct ChosenCount {
  std::size_t count = 0;  // index among the counts
  std::int64_t head = 0;
  bool valid = false;
};
[[nodiscard]] ChosenCount ChosenOf(const AppState& state);

[[nodiscard]] ColorScale CountScale(const AppState& state, const ChosenCount& which);
// "dₖ 96", or "dₖ 10–11" where the columns do not divide evenly.
[[nodiscard]] std::string WidthWords(const SplitCount& count);
// "columns 96–191".
[[nodiscard]] std::string ColumnWords(const std::vector<std::int32_t>& columns);
// "h = 4, head 1: columns 96–191".
[[nodiscard]] std::string HeadOfWords(const SplitResult& split,
                                      std::size_t count,
                                      std::int64_t head);

}  // namespace headscope
