#include "core/causes/likely_words.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

namespace headscope {
namespace {

// Returns log(sum exp(logit)).
double LogSum(std::span<const float> logits) {
  const auto most = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0.0;
  for (const float logit : logits) {
    sum += std::exp(static_cast<double>(logit) - most);
  }
  return most + std::log(sum);
}

}  // namespace

std::string PercentText(double probability) {
  return probability < 0.0005 ? "<.1 %" : fmt::format("{:.1f} %", 100.0 * probability);
}

std::vector<LikelyWord> LikeliestWords(std::span<const float> logits, std::int64_t count) {
  std::vector<std::int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  const auto kept = std::min(count, std::ssize(logits));
  std::partial_sort(
      ids.begin(), ids.begin() + kept, ids.end(), [&](std::int32_t one, std::int32_t other) {
        const float left = logits[static_cast<std::size_t>(one)];
        const float right = logits[static_cast<std::size_t>(other)];
        return left != right ? left > right : one < other;
      });
  ids.resize(static_cast<std::size_t>(kept));
  const double log_sum = LogSum(logits);
  std::vector<LikelyWord> words;
  for (const std::int32_t id : ids) {
    const auto logit = static_cast<double>(logits[static_cast<std::size_t>(id)]);
    words.push_back({id, logit, std::exp(logit - log_sum)});
  }
  return words;
}

ActualWord JudgeWord(std::span<const float> logits, std::int32_t id) {
  const float own = logits[static_cast<std::size_t>(id)];
  ActualWord word{.id = id};
  for (std::size_t other = 0; other < logits.size(); ++other) {
    const bool is_lower = static_cast<std::int32_t>(other) < id;
    word.rank += logits[other] > own || (logits[other] == own && is_lower) ? 1 : 0;
  }
  word.loss = LogSum(logits) - static_cast<double>(own);
  word.probability = std::exp(-word.loss);
  return word;
}

}  // namespace headscope
