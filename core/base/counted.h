// A number with what it counts: "1 head", "2 heads", "0 heads".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace headscope {

// `many` defaults to `one` with an "s": "heads" for "head".
template <typename Number>
[[nodiscard]] std::string Counted(Number number, std::string_view one, std::string_view many = {}) {
  if (number == Number{1}) {
    return fmt::format("1 {}", one);
  }
  return many.empty() ? fmt::format("{} {}s", number, one) : fmt::format("{} {}", number, many);
}

}  // namespace headscope
