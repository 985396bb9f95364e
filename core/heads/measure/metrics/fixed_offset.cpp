// Attention a fixed number of tokens away: the previous token, the next, itself, and eight each way.
//
// Source   Voita 2019, 5.1; Clark 2019, 3.1 (mass over .5).
#include <cstdlib>

#include <fmt/format.h>

#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

constexpr std::int64_t kFurthest = 8;

HeadMetric OffsetMetric(std::int64_t offset, std::string id, std::string name) {
  HeadMetric metric;
  metric.id = std::move(id);
  metric.name = std::move(name);
  metric.target = offset == 0
                      ? "the token itself"
                      : (std::abs(offset) == 1 ? "the " + metric.name : "the token " + metric.name);
  metric.place =
      offset == -1 ? 0 : (offset == 1 ? 1 : (offset == 0 ? 2 : 100 + static_cast<int>(offset)));
  metric.words = {
      .about = "the share of attention at a fixed distance from the token",
      .formula = "mean over rows q of A[q][q + offset], rows of special tokens left out",
      .chance = "1 / visible keys, over the same rows",
      .source = "Voita 2019, 5.1; Clark 2019, 3.1",
      .pitfall = "short texts have a high chance level; some heads do it in the first rows only",
      .needs = "rows that see a token at this distance: a causal model sees none that follows"};
  metric.is_far = std::abs(offset) > 1;
  metric.alike = offset == 1 ? "source:+1" : "";
  metric.role = "positional";
  metric.threshold = 0.5;
  metric.targets = [offset](const ProbeSequence& sequence, const AttentionRule& rule) {
    TargetRows targets;
    if (rule.causal && offset > rule.offset) {
      return targets;
    }
    targets.Reserve(sequence.tokens());
    // The first row sees itself alone in a causal model, whatever the head does.
    for (std::int64_t query = offset == 0 ? 1 : 0; query < sequence.tokens(); ++query) {
      const std::int64_t key = query + offset;
      if (sequence.special[static_cast<std::size_t>(query)] == 0 && key >= 0 &&
          Sees(rule, sequence, query, key)) {
        targets.Add(query, static_cast<std::int32_t>(key));
      }
    }
    return targets;
  };
  return metric;
}

}  // namespace

std::vector<HeadMetric> FixedOffsetMetrics() {
  std::vector<HeadMetric> metrics = {OffsetMetric(-1, "previous_token", "previous token"),
                                     OffsetMetric(1, "next_token", "next token"),
                                     OffsetMetric(0, "self", "itself")};
  for (std::int64_t offset = -kFurthest; offset <= kFurthest; ++offset) {
    if (std::abs(offset) > 1) {
      metrics.push_back(OffsetMetric(
          offset,
          fmt::format("offset:{:+}", offset),
          fmt::format("{} {}", std::abs(offset), offset < 0 ? "tokens back" : "tokens ahead")));
    }
  }
  return metrics;
}

}  // namespace headscope
