// A score of a head with what stands beside it.
//
// Units    the metric's; numbers that do not exist are none.
// Threads  plain values.
#pragma once

#include <cstdint>
#include <optional>

namespace headscope {

struct HeadScore {
  std::optional<double> score;
  std::optional<double> error;    // standard error of the sequences' own means
  std::optional<double> chance;   // what even attention gives
  std::optional<double> control;  // the metric's own
  std::optional<double> hits;     // share of the rows whose largest weight is on a key that counts
  std::int64_t rows = 0;
  std::int64_t sequences = 0;
};

// How far a share gets from its control towards 1: (score - control) / (1 - control). None without a
// control, or where the control leaves nothing.
[[nodiscard]] inline std::optional<double> KappaOf(std::optional<double> score,
                                                   std::optional<double> control) {
  if (!score || !control || *control >= 1.0) {
    return std::nullopt;
  }
  return (*score - *control) / (1.0 - *control);
}
[[nodiscard]] inline std::optional<double> KappaOf(const HeadScore& score) {
  return KappaOf(score.score, score.control);
}

}  // namespace headscope
