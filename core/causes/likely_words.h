// What a row of logits says: its likeliest tokens, and how likely the token is that was there.
//
// Units    probabilities over the whole vocabulary; losses in nats, -log p.
// Cost     one pass over the vocabulary for each call.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace headscope {

struct LikelyWord {
  std::int32_t id = 0;
  double logit = 0.0;
  double probability = 0.0;
  friend bool operator==(const LikelyWord&, const LikelyWord&) = default;
};

// "33.7 %", "<.1 %"
[[nodiscard]] std::string PercentText(double probability);

// Returns the `count` likeliest, the likeliest first; of equals the lower id comes first.
[[nodiscard]] std::vector<LikelyWord> LikeliestWords(std::span<const float> logits,
                                                     std::int64_t count);

struct ActualWord {
  std::int32_t id = 0;
  std::int64_t rank = 1;  // 1: the likeliest; of equals the lower id comes first
  double probability = 0.0;
  double loss = 0.0;
  friend bool operator==(const ActualWord&, const ActualWord&) = default;
};

[[nodiscard]] ActualWord JudgeWord(std::span<const float> logits, std::int32_t id);

}  // namespace headscope
