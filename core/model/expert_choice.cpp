#include "core/model/expert_choice.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace headscope {

std::vector<ExpertLoad> ChooseExperts(std::span<const double> logits,
                                      std::int64_t experts,
                                      std::int64_t chosen,
                                      bool is_normalised) {
  const auto count = static_cast<std::size_t>(experts);
  const auto most = std::min(count, static_cast<std::size_t>(chosen));
  std::vector<ExpertLoad> loads(count);
  std::vector<std::size_t> order(count);
  std::vector<double> shares(count);
  for (std::size_t token = 0; token * count < logits.size(); ++token) {
    const std::span row = logits.subspan(token * count, count);
    const double largest = std::ranges::max(row);
    std::ranges::transform(
        row, shares.begin(), [&](double logit) { return std::exp(logit - largest); });
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, std::greater(), [&](std::size_t one) { return row[one]; });
    double whole = 0.0;
    for (std::size_t place = 0; place < (is_normalised ? most : count); ++place) {
      whole += shares[order[place]];
    }
    for (std::size_t place = 0; place < most; ++place) {
      loads[order[place]].tokens.push_back(static_cast<std::int64_t>(token));
      loads[order[place]].weights.push_back(shares[order[place]] / whole);
    }
  }
  return loads;
}

}  // namespace headscope
