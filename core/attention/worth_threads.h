// Whether work on weights goes to OpenMP's threads: with less, waking them costs more than they
// bring.
//
// Threads  any.
#pragma once

#include <cstdint>

namespace headscope {

// `cells`: that are read, of all heads.
[[nodiscard]] constexpr bool IsWorthThreads(std::int64_t cells) {
  constexpr std::int64_t kFewest = 1 << 15;
  return cells >= kFewest;
}

}  // namespace headscope
