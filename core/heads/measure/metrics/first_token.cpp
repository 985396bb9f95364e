// Attention that rests on the first token.
//
// Source   Xiao 2023; Gu 2025.
#include "core/heads/measure/metric.h"

namespace headscope {

std::vector<HeadMetric> FirstTokenMetrics() {
  HeadMetric metric;
  metric.id = "first_token";
  metric.name = "first token";
  metric.place = 3;
  metric.target = "the first token";
  metric.words = {.about = "the share of attention that rests on the first token",
                  .formula =
                      "mean over rows q >= 1 of A[q][0], rows of special tokens left out; "
                      "key 0 of cross-attention is the source's first token",
                  .chance = "1 / visible keys, over the same rows",
                  .source = "Xiao 2023; Gu 2025",
                  .pitfall = "a head may rest there only where it has nothing to do",
                  .needs = "a token after the first"};
  metric.role = "separator";
  metric.threshold = 0.6;
  metric.targets = [](const ProbeSequence& sequence, const AttentionRule& rule) {
    TargetRows targets;
    targets.Reserve(sequence.tokens());
    for (std::int64_t query = 1; query < sequence.tokens(); ++query) {
      if (sequence.special[static_cast<std::size_t>(query)] == 0 &&
          Sees(rule, sequence, query, 0)) {
        targets.Add(query, 0);
      }
    }
    return targets;
  };
  metric.cross_target = "the source's first token";
  metric.cross_targets = [](const ProbeSequence& target, const ProbeSequence& /*source*/) {
    TargetRows targets;
    for (std::int64_t query = 1; query < target.tokens(); ++query) {
      if (target.special[static_cast<std::size_t>(query)] == 0) {
        targets.Add(query, 0);
      }
    }
    return targets;
  };
  return {metric};
}

}  // namespace headscope
