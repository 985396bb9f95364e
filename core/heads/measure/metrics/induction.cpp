// Attention to what followed an earlier copy of the token: [A][B] ... [A] looks at [B].
//
// Source   Olsson 2022 (prefix matching), with the sum over all earlier copies.
#include "core/heads/measure/metric.h"

namespace headscope {

std::vector<HeadMetric> InductionMetrics() {
  HeadMetric metric;
  metric.id = "induction";
  metric.name = "induction";
  metric.place = 6;
  metric.target = "the token after the earlier copy";
  metric.words = {
      .about = "the share of attention on what followed an earlier copy of the token",
      .formula =
          "mean over rows with an earlier equal token j, special ones aside, of the sum of "
          "A[q][j + 1] over j + 1 < q",
      .chance = "such keys / visible keys, over the same rows",
      .control = "the same rows and distances where another token stands",
      .control_name = "the same distance with the wrong token",
      .source = "Olsson 2022, with the sum over all earlier copies",
      .pitfall =
          "a pattern only: a head that suppresses the token has it, too (see copies or "
          "suppresses); fixed distances pass at one period, so the least over periods counts",
      .needs = "a token that occurs again, and something between"};
  metric.role = "induction";
  metric.threshold = 0.4;
  metric.has_control_sequences = true;
  metric.is_of_copies = true;
  metric.alike = "source_next_token";
  metric.targets = [](const ProbeSequence& sequence, const AttentionRule& rule) {
    return RowsOfCopies(sequence, rule, 1);
  };
  return {metric};
}

}  // namespace headscope
