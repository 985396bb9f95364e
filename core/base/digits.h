// A number with as many digits as it needs: "0.131" of 0.1309 with three places, "0.0005" of 0.0005,
// "2.1e-08" of 0.000000021, "0" of nothing at all. What is small never reads as none.
//
// Threads  any.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace headscope {

// At least two digits that count, and at most `places` after the point where these are enough.
[[nodiscard]] inline std::string WithDigits(double value, int places = 3) {
  if (value == 0.0) {
    return "0";
  }
  const bool is_enough = !(std::abs(value) < std::pow(10.0, 1 - places));
  return is_enough ? fmt::format("{:.{}f}", value, places) : fmt::format("{:.2g}", value);
}

}  // namespace headscope
