#include "core/heads/measure/score_words.h"

#include <fmt/format.h>

namespace headscope {

std::string ShareWords(double share) {
  std::string text = fmt::format("{:.2f}", share);
  if (text.starts_with("0.")) {
    text.erase(0, 1);
  }
  return text == "-0.00" ? ".00" : text;
}

std::string ErrorWords(double error) {
  constexpr double kRoundsToNothing = 0.005;
  return error < kRoundsToNothing ? "< .01" : ShareWords(error);
}

std::string WithError(double share, std::optional<double> error) {
  return ShareWords(share) + (error ? fmt::format(" ± {}", ErrorWords(*error)) : "");
}

}  // namespace headscope
