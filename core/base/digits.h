// A number with as many digits as it needs: with three places 0.1309 is "0.131", 0.0005 is
// "0.0005", 0.000000021 is "2.1e-08" and zero is "0". A small number never reads as zero.
#pragma once

#include <cmath>
#include <optional>
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

// A share in percent: .995 is "99.5 %", .0005 is "0.05 %".
[[nodiscard]] inline std::string PercentOf(double share) {
  return WithDigits(100.0 * share, 1) + " %";
}

// Shares as sentences have them: ".93", "-.10", "1.00", and ".00" of what rounds to nothing.
[[nodiscard]] inline std::string ShareWords(double share) {
  const std::string text = fmt::format("{:.2f}", std::abs(share));
  const bool is_below = share < 0.0 && text != "0.00";
  return (is_below ? "-" : "") + (text.front() == '0' ? text.substr(1) : text);
}

// ".93 ± .01", ".54 ± < .01" where two digits would say that there is no error; without one ".93".
[[nodiscard]] inline std::string WithError(double share, std::optional<double> error) {
  constexpr double kRoundsToNothing = 0.005;
  if (!error) {
    return ShareWords(share);
  }
  return fmt::format(
      "{} ± {}", ShareWords(share), *error < kRoundsToNothing ? "< .01" : ShareWords(*error));
}

}  // namespace headscope
