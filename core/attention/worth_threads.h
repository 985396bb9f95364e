// Whether work on weights should use OpenMP's threads: for less work, waking them costs more than
// it saves.
#pragma once

#include <cstdint>

namespace headscope {

// `cells` is the number of cells read, over all heads.
[[nodiscard]] constexpr bool IsWorthThreads(std::int64_t cells) {
  constexpr std::int64_t kFewest = 1 << 15;
  return cells >= kFewest;
}

}  // namespace headscope
