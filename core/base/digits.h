// A number with as many digits as it needs: with three places 0.1309 is "0.131", 0.0005 is
// "0.0005", 0.000000021 is "2.1e-08" and zero is "0". A small number never reads as zero.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace headscope {

// Gives at least two significant digits, and at most `places` after the point where these are
// enough.
[[nodiscard]] inline std::string WithDigits(double value, int places = 3) {
  if (value == 0.0) {
    return "0";
  }
  const bool is_enough = !(std::abs(value) < std::pow(10.0, 1 - places));
  return is_enough ? fmt::format("{:.{}f}", value, places) : fmt::format("{:.2g}", value);
}

}  // namespace headscope
