// Chooses the experts of each token.
//
// Shapes   logits [tokens, experts].
// Threads  pure.
// Source   Shazeer 2017; groups and corrected scores: DeepSeek-AI 2024; sparse mixer: Liu 2023; each
//          as transformers computes it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace headscope {

// What makes scores of a token's logits. A sparse mixer takes one expert after another; its weight
// is its softmax among those left whose logits are close to it.
enum class RouterScore { kSoftmax, kSigmoid, kSparseMixer };

struct ExpertChoice {
  RouterScore score = RouterScore::kSoftmax;
  std::int64_t chosen = 2;    // experts with the largest scores; their scores are their weights
  bool is_normalised = true;  // the weights of the chosen are made to sum to 1
  double factor = 1.0;        // of the weights
  double sum_offset = 0.0;    // added to the sum by which they are normalised
  // Experts are in groups, side by side, and only those of some groups are chosen: the groups whose
  // best scores have the largest sum.
  std::int64_t groups = 1;
  std::int64_t groups_chosen = 1;
  std::int64_t best_of_group = 1;  // scores of a group that are summed
  double closeness = 0.0;          // of a sparse mixer: the largest difference, relative
  double softcap = 0.0;            // of logits: softcap tanh(logit / softcap); 0: none
  bool compares_logits = false;    // corrected, in place of corrected scores
  // Tokens that an expert can have; those that choose it later get none. 0: any number.
  std::int64_t capacity = 0;
};

// The tokens that an expert reads, in order, and what each counts.
struct ExpertLoad {
  std::vector<std::int64_t> tokens;
  std::vector<double> weights;
};

// Returns the load of each expert. Of experts with the same score, the first is chosen. `correction`
// is added to the scores that are compared, but not to weights; it may be empty.
[[nodiscard]] std::vector<ExpertLoad> ChooseExperts(std::span<const double> logits,
                                                    std::int64_t experts,
                                                    const ExpertChoice& choice,
                                                    std::span<const double> correction = {});

}  // namespace headscope
