// A token's name with its index, for a token that occurs more than once: "the (4)", in the window
// and in figures.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headscope {

[[nodiscard]] inline std::string IndexedName(std::string_view name, std::int64_t index) {
  return std::string(name) + " (" + std::to_string(index) + ")";
}

}  // namespace headscope
