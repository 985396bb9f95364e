// A number with two digits behind the point; what rounds to nothing is "0.00", without a sign.
//
// Threads  any.
#pragma once

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace headscope {

// "0.43", "-0.20"
[[nodiscard]] inline std::string Hundredths(double value) {
  return fmt::format("{:.2f}", std::abs(value) < 0.005 ? 0.0 : value);
}
// "+0.43", "-0.20"
[[nodiscard]] inline std::string SignedHundredths(double value) {
  return std::abs(value) < 0.005 ? Hundredths(value) : fmt::format("{:+.2f}", value);
}

}  // namespace headscope
