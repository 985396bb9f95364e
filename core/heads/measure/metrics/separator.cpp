// Attention to tokens that separate: [CLS], [SEP], a begin mark, punctuation.
//
// Source   Clark 2019, 3.2 (over .6).
#include <algorithm>

#include "core/heads/measure/metric.h"

namespace headscope {

std::vector<HeadMetric> SeparatorMetrics() {
  HeadMetric metric;
  metric.id = "separator";
  metric.name = "separator";
  metric.place = 4;
  metric.target = "special tokens and punctuation";
  metric.words = {.about = "the share of attention on special tokens and punctuation",
                  .formula =
                      "mean over rows q of the sum of A[q][k] over special tokens and tokens of "
                      "nothing but punctuation; rows of special tokens left out; the first token "
                      "of a causal model is not counted here",
                  .chance = "their share of the visible keys, over the same rows",
                  .source = "Clark 2019, 3.2",
                  .pitfall = "full stops and commas are frequent: see the chance level",
                  .needs = "a special token or punctuation that can be seen"};
  metric.role = "separator";
  metric.threshold = 0.6;
  metric.targets = [](const ProbeSequence& sequence, const AttentionRule& rule) {
    TargetRows targets;
    targets.Reserve(sequence.tokens());
    std::vector<std::int32_t> separators;
    for (std::int64_t key = rule.causal ? 1 : 0; key < sequence.tokens(); ++key) {
      if (sequence.separator[static_cast<std::size_t>(key)] != 0) {
        separators.push_back(static_cast<std::int32_t>(key));
      }
    }
    for (std::int64_t query = 0; query < sequence.tokens() && !separators.empty(); ++query) {
      if (sequence.special[static_cast<std::size_t>(query)] == 0) {
        const auto first = std::ranges::lower_bound(separators, rule.FirstVisible(query));
        const auto last =
            std::ranges::lower_bound(separators, rule.LastVisible(query, sequence.tokens()));
        targets.Add(query, std::span(first, std::max(first, last)));
      }
    }
    return targets;
  };
  metric.cross_target = "special tokens and punctuation of the source";
  metric.cross_targets = [](const ProbeSequence& target, const ProbeSequence& source) {
    TargetRows targets;
    std::vector<std::int32_t> keys;
    for (std::int64_t key = 0; key < source.tokens(); ++key) {
      if (source.separator[static_cast<std::size_t>(key)] != 0) {
        keys.push_back(static_cast<std::int32_t>(key));
      }
    }
    for (std::int64_t query = 0; query < target.tokens() && !keys.empty(); ++query) {
      if (target.special[static_cast<std::size_t>(query)] == 0) {
        targets.Add(query, keys);
      }
    }
    return targets;
  };
  return {metric};
}

}  // namespace headscope
