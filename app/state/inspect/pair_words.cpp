#include "app/state/inspect/pair_words.h"

#include <cmath>

#include <fmt/format.h>

#include "app/state/inspect/cell_words.h"

namespace headscope {

std::vector<PairStep> StepsOfPair(const ScoreParts& parts, const std::string& row) {
  const auto number = [](double value) { return fmt::format("{:.4f}", value); };
  double above = 0.0;
  double below = 0.0;
  for (const double product : parts.products) {
    (product > 0.0 ? above : below) += product;
  }
  std::vector<PairStep> steps;
  steps.push_back({fmt::format("sum of {} products: {} above 0, {} below",
                               parts.products.size(),
                               number(above),
                               number(below)),
                   number(parts.dot)});
  const double scaled = parts.scale * parts.dot;
  steps.push_back({fmt::format("times the scale {:.6g}", parts.scale), number(scaled)});
  if (parts.softcap > 0.0) {
    steps.push_back(
        {fmt::format("capped: {0:.4g} tanh(x / {0:.4g})", parts.softcap), number(parts.capped)});
  }
  if (std::isinf(parts.score)) {
    steps.push_back({"masked: this query does not see this key", "0"});
    return steps;
  }
  if (parts.bias != 0.0) {
    steps.push_back({fmt::format("bias of the distance {:+.4f}", parts.bias),
                     number(parts.capped + parts.bias)});
  }
  if (parts.positions != 0.0) {
    steps.push_back(
        {fmt::format("products with positions {:+.4f}", parts.positions), number(parts.score)});
  }
  steps.push_back({fmt::format("exp of it less the row's largest score, {}", number(parts.largest)),
                   fmt::format("{:.4g}", parts.exponential)});
  steps.push_back(
      {fmt::format("softmax: divided by {:.4g}, the sum over the row of “{}”{}",
                   parts.sum,
                   row,
                   parts.sink > 0.0 ? fmt::format(", of which its sink takes {:.4f}", parts.sink)
                                    : std::string()),
       WeightText(static_cast<float>(parts.weight))});
  return steps;
}

}  // namespace headscope
