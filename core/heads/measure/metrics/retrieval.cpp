// Attention to a hidden sentence that is asked for: how often the row's largest weight is on the
// token of it that comes next in the answer.
//
// Source   Wu 2024.
#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

TargetRows RowsOfAnswers(const ProbeSequence& sequence, const AttentionRule& rule) {
  TargetRows found;
  for (const HiddenToken& next : sequence.hidden) {
    if (Sees(rule, sequence, next.query, next.key)) {
      found.Add(next.query, {&next.key, 1}, {&next.other, 1});
    }
  }
  return found;
}

}  // namespace

std::vector<HeadMetric> RetrievalMetrics() {
  HeadMetric metric;
  metric.id = "retrieval";
  metric.name = "retrieval";
  metric.place = 23;
  metric.is_rate = true;
  metric.asks_hidden = true;
  metric.target = "the hidden token that comes next";
  metric.words = {
      .about = "how often an answer looks at the hidden sentence that it repeats",
      .formula =
          "share of the rows of the answers whose largest weight is on the hidden token that "
          "comes next",
      .chance = "1 / visible keys, over the same rows",
      .control =
          "how often it is on the same place of another hidden sentence, which is not asked for",
      .control_name = "the sentence that is not asked for",
      .source = "Wu 2024",
      .pitfall =
          "only where the model can do the task: `score --probe retrieval` says in how many "
          "texts it prefers the hidden word; heads above .1 are called retrieval heads",
      .needs = "texts of --probe retrieval, in which a sentence is hidden and asked for"};
  metric.targets = RowsOfAnswers;
  return {metric};
}

}  // namespace headscope
