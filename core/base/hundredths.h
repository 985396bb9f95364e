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

// How many digits behind the point numbers up to `largest` need: two, and up to six where two would
// say almost nothing of them.
[[nodiscard]] inline int DigitsFor(double largest) {
  int digits = 2;
  for (double size = std::abs(largest) * 100.0; size > 0.0 && size < 5.0 && digits < 6;
       size *= 10.0) {
    ++digits;
  }
  return digits;
}
// "0.43" beside 0.9, "-0.0024" beside 0.004
[[nodiscard]] inline std::string ShareAmong(double value, double largest) {
  const int digits = DigitsFor(largest);
  const bool is_nothing = std::abs(value) * std::pow(10.0, digits) < 0.5;
  return fmt::format("{:.{}f}", is_nothing ? 0.0 : value, digits);
}
// The same with a sign: "+0.43", "-0.0024", "0.00"
[[nodiscard]] inline std::string SignedShareAmong(double value, double largest) {
  const std::string share = ShareAmong(value, largest);
  const bool is_nothing = share.find_first_not_of("0.") == std::string::npos;
  return value > 0.0 && !is_nothing ? "+" + share : share;
}

}  // namespace headscope
