// Attention whose largest weight is on the rarest token that is seen.
//
// Source   Voita 2019, 5.3.
#include <algorithm>
#include <limits>

#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

// Where more of the tokens seen are equally rare, hitting one of them says little.
constexpr std::int64_t kFewestForOne = 4;

// The rarest tokens that a query sees, special ones and itself aside; none where too many tie.
void FindRarest(const ProbeSequence& sequence,
                const AttentionRule& rule,
                std::int64_t query,
                std::vector<std::int32_t>* keys) {
  keys->clear();
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t seen = 0;
  const std::int64_t last = rule.LastVisible(query, sequence.tokens());
  for (std::int64_t key = rule.FirstVisible(query); key < last; ++key) {
    const auto place = static_cast<std::size_t>(key);
    if (key == query || sequence.special[place] != 0) {
      continue;
    }
    ++seen;
    if (sequence.count[place] < least) {
      least = sequence.count[place];
      keys->clear();
    }
    if (sequence.count[place] == least) {
      keys->push_back(static_cast<std::int32_t>(key));
    }
  }
  if (kFewestForOne * std::ssize(*keys) > seen) {
    keys->clear();
  }
}

}  // namespace

std::vector<HeadMetric> RareTokenMetrics() {
  HeadMetric metric;
  metric.id = "rare_token";
  metric.name = "rare token";
  metric.place = 8;
  metric.target = "the rarest token";
  metric.words = {
      .about = "how often the largest weight is on the rarest token",
      .formula =
          "share of rows q whose largest A[q][k] is on the token seen that the corpus has least "
          "often, special ones and q aside; rows where more than one in four tie are left out",
      .chance = "such keys / visible keys, over the same rows",
      .control = "the same rows and distances where another token stands",
      .control_name = "the same distance with a token that is not the rarest",
      .source = "Voita 2019, 5.3, with the corpus's own counts for frequencies",
      .pitfall = "a small corpus counts badly, and a head that likes names or nouns hits rare ones",
      .needs = "texts, not drawn tokens, whose tokens differ in how often the corpus has them"};
  metric.role = "rare";
  metric.threshold = 0.5;
  metric.is_rate = true;
  metric.targets = [](const ProbeSequence& sequence, const AttentionRule& rule) {
    TargetRows targets;
    const std::int64_t rows = sequence.count.empty() ? 0 : sequence.tokens();
    targets.Reserve(rows);
    std::vector<std::int32_t> keys;
    for (std::int64_t query = 0; query < rows; ++query) {
      FindRarest(sequence, rule, query, &keys);
      if (sequence.special[static_cast<std::size_t>(query)] == 0 && !keys.empty()) {
        targets.Add(query, keys);
      }
    }
    return ShuffleDistances(sequence, rule, targets);
  };
  return {metric};
}

}  // namespace headscope
