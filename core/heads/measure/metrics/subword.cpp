// Attention from the later pieces of a word to its earlier ones.
//
// Source   docs/reference.md, "score"; its control is what a previous-token head does.
#include <algorithm>

#include "core/heads/measure/metric.h"

namespace headscope {

std::vector<HeadMetric> SubwordMetrics() {
  HeadMetric metric;
  metric.id = "subword";
  metric.name = "pieces of a word";
  metric.place = 7;
  metric.target = "earlier pieces of the word";
  metric.words = {
      .about = "the share of attention from a word's later pieces on its earlier ones",
      .formula =
          "mean over rows that are not the first piece of their word of the sum of A[q][k] "
          "over earlier pieces of it",
      .chance = "such keys / visible keys, over the same rows",
      .control = "first pieces: their attention on the token right before them",
      .control_name = "the token before a first piece",
      .source = "docs/reference.md",
      .pitfall = "a previous-token head does it without knowing words: see the control",
      .needs = "words of several tokens"};
  metric.role = "subword";
  metric.threshold = 0.4;
  metric.targets = [](const ProbeSequence& sequence, const AttentionRule& rule) {
    TargetRows targets;
    targets.Reserve(sequence.tokens());
    std::vector<std::int32_t> keys;
    bool has_pieces = false;
    for (std::int64_t query = 1; query < sequence.tokens(); ++query) {
      const auto word = [&](std::int64_t token) {
        return sequence.word[static_cast<std::size_t>(token)];
      };
      keys.clear();
      for (std::int64_t key = query - 1; key >= 0 && word(query) >= 0 && word(key) == word(query) &&
                                         Sees(rule, sequence, query, key);
           --key) {
        keys.push_back(static_cast<std::int32_t>(key));
      }
      std::ranges::reverse(keys);
      if (!keys.empty()) {
        targets.Add(query, keys);
        has_pieces = true;
      } else if (word(query) >= 0 && Sees(rule, sequence, query, query - 1)) {
        // A first piece: only a control.
        const auto before = static_cast<std::int32_t>(query - 1);
        targets.Add(query, {}, {&before, 1}, false);
      }
    }
    return has_pieces ? targets : TargetRows();
  };
  return {metric};
}

}  // namespace headscope
