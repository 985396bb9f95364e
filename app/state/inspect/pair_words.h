// What the window says of one pair of a query and a key, step by step.
//
// Threads  UI thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/score_parts.h"

namespace headscope {

// One step: what is done, and the number that it gives.
struct PairStep {
  std::string what;
  std::string number;
  friend bool operator==(const PairStep&, const PairStep&) = default;
};

// From the sum of the products to the weight. `row`: the query's name.
[[nodiscard]] std::vector<PairStep> StepsOfPair(const ScoreParts& parts, const std::string& row);

}  // namespace headscope
