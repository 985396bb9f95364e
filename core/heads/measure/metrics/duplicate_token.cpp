// Attention to earlier copies of the same token.
//
// Source   Wang 2022, appendix I.
#include "core/heads/measure/metric.h"

namespace headscope {

std::vector<HeadMetric> DuplicateTokenMetrics() {
  HeadMetric metric;
  metric.id = "duplicate_token";
  metric.name = "duplicate token";
  metric.place = 5;
  metric.target = "earlier copies of the same token";
  metric.words = {
      .about = "the share of attention on earlier copies of the same token",
      .formula =
          "mean over rows with an earlier equal token, special ones aside, of the sum of "
          "A[q][j] over these",
      .chance = "copies / visible keys, over the same rows",
      .control = "the same rows and distances where another token stands",
      .control_name = "the same distance with the wrong token",
      .source = "Wang 2022, appendix I",
      .pitfall = "a head that goes a fixed distance back finds copies in repeats of that period",
      .needs = "a token that occurs again"};
  metric.role = "duplicate";
  metric.threshold = 0.4;
  metric.has_control_sequences = true;
  metric.is_of_copies = true;
  metric.alike = "source_token";
  metric.targets = [](const ProbeSequence& sequence, const AttentionRule& rule) {
    return RowsOfCopies(sequence, rule, 0);
  };
  return {metric};
}

}  // namespace headscope
