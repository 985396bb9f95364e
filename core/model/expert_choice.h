// Chooses the experts of each token.
//
// Shapes   logits [tokens, experts].
// Threads  pure.
// Source   Shazeer 2017; as transformers computes it: a softmax over all experts, the heaviest ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

// The tokens that an expert reads, in order, and what each counts.
struct ExpertLoad {
  std::vector<std::int64_t> tokens;
  std::vector<double> weights;
};

// Returns the load of each expert. Of experts that weigh the same, the first is chosen.
[[nodiscard]] std::vector<ExpertLoad> ChooseExperts(std::span<const double> logits,
                                                    std::int64_t experts,
                                                    std::int64_t chosen,
                                                    bool is_normalised);

}  // namespace headscope
