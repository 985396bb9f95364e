// A score of a head with what stands beside it.
//
// Units    the metric's; numbers that do not exist are none.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

namespace headscope {

// Adds the sums of a head, whose members its `kAll` lists. Without a loop, since a scan adds millions.
template <typename Head>
void AddMembers(const Head& from, Head* to) {
  std::apply([&](auto... members) { ((to->*members += from.*members), ...); }, Head::kAll);
}
// The same for each head, of which `to` may have fewer.
template <typename Head>
void AddHeads(const std::vector<Head>& from, std::vector<Head>* to) {
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t head = 0; head < from.size(); ++head) {
    AddMembers(from[head], &(*to)[head]);
  }
}

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

// The standard error of the mean of `count` numbers, two at least, from their sum and the sum of their
// squares.
[[nodiscard]] inline double StandardError(double sum, double squares, double count) {
  // Rounding may take what is nearly nothing below 0.
  const double spread = std::max(squares - sum * sum / count, 0.0);
  return std::sqrt(spread / (count - 1.0) / count);
}

}  // namespace headscope
