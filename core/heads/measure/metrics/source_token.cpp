// Cross-attention that looks in the source for the token that the row has read, or for what follows
// it there, wherever that stands.
//
// Source   docs/reference.md, "Parts of an encoder-decoder"; as Wang 2022, appendix I, and Olsson
//          2022, with the source in place of what came before.
#include "core/heads/measure/metric.h"

namespace headscope {
namespace {

// The keys `after` tokens past each copy of the row's token.
TargetRows RowsOfSourceCopies(const ProbeSequence& target,
                              const ProbeSequence& source,
                              std::int64_t after) {
  TargetRows targets;
  std::vector<std::int32_t> keys;
  for (std::int64_t query = 1; query < target.tokens(); ++query) {
    const auto of_row = static_cast<std::size_t>(query);
    keys.clear();
    for (std::int64_t copy = 0; copy + after < source.tokens() && target.special[of_row] == 0;
         ++copy) {
      const auto place = static_cast<std::size_t>(copy);
      if (source.special[place] == 0 && source.ids[place] == target.ids[of_row]) {
        keys.push_back(static_cast<std::int32_t>(copy + after));
      }
    }
    if (!keys.empty()) {
      targets.Add(query, keys);
    }
  }
  return targets;
}

HeadMetric OfCopies(std::int64_t after) {
  HeadMetric metric;
  metric.words = {
      .about = {},
      .formula = {},
      .chance = "such keys / tokens of the source, over the same rows",
      .control = "the same rows and places where the source has other tokens than the target",
      .control_name = "the same places with the wrong token",
      .source = "docs/reference.md",
      .pitfall = "where there is no control, a head that looks at a place scores as much: no role",
      .needs = "cross-attention, and a token of the source that the target repeats"};
  metric.has_control_sequences = true;
  metric.is_of_copies = true;
  metric.needs_control = true;
  metric.threshold = 0.4;
  metric.cross_targets = [after](const ProbeSequence& target, const ProbeSequence& source) {
    return RowsOfSourceCopies(target, source, after);
  };
  return metric;
}

HeadMetric SameToken() {
  HeadMetric metric = OfCopies(0);
  metric.id = "source_token";
  metric.name = "same token in the source";
  metric.target = "source tokens equal to the one that it has read";
  metric.place = 5;
  metric.words.about = "the share of cross-attention on source tokens equal to the row's token";
  metric.words.formula =
      "mean over rows q, special ones aside, of the sum of A[q][k] over source tokens k equal to "
      "the token that q has read; of repeats rows whose token is another one in the control's "
      "source";
  metric.role = "duplicate";
  metric.alike = "duplicate_token";
  return metric;
}

HeadMetric NextToken() {
  HeadMetric metric = OfCopies(1);
  metric.id = "source_next_token";
  metric.name = "next token in the source";
  metric.target = "what follows in the source the token that it has read";
  metric.place = 6;
  metric.words.about = "the share of cross-attention on what follows the row's token in the source";
  metric.words.formula =
      "mean over rows q, special ones aside, of the sum of A[q][k + 1] over source tokens k equal "
      "to the token that q has read; of repeats rows whose token is another one in the control's "
      "source";
  metric.role = "induction";
  metric.alike = "induction";
  return metric;
}

}  // namespace

std::vector<HeadMetric> SourceTokenMetrics() {
  return {SameToken(), NextToken()};
}

}  // namespace headscope
