// A number with two digits behind the point, or more; what rounds to nothing has no sign: "0.00".
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
// "+0.4321", "0.0000"
[[nodiscard]] inline std::string SignedTenThousandths(double value) {
  return std::abs(value) < 0.00005 ? "0.0000" : fmt::format("{:+.4f}", value);
}

}  // namespace headscope
