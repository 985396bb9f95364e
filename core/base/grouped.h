// Numbers with their digits in groups of three: "65,536".
#pragma once

#include <cstdint>
#include <iterator>
#include <string>

#include <fmt/format.h>

namespace headscope {

[[nodiscard]] inline std::string Grouped(std::int64_t number) {
  std::string digits = fmt::format("{}", number);
  const std::ptrdiff_t sign = number < 0 ? 1 : 0;
  for (std::ptrdiff_t at = std::ssize(digits) - 3; at > sign; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), ",");
  }
  return digits;
}

}  // namespace headscope
