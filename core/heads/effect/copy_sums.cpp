#include "core/heads/effect/copy_sums.h"

#include <algorithm>

#include "core/heads/measure/metric.h"

namespace headscope {
void AddCopies(const CopyTotals& from, CopyTotals* to) {
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t head = 0; head < from.size(); ++head) {
    for (const auto member : HeadCopy::kAll) {
      (*to)[head].*member += from[head].*member;
    }
  }
}

bool IsCopyText(const ProbeCorpus& corpus, std::size_t place) {
  const std::vector<ProbeSequence>& all = corpus.sequences;
  const std::size_t each = all.size() > 1 && all[1].is_control ? 2 : 1;  // with its control
  const std::size_t step =
      std::max<std::size_t>((all.size() / each + kCopyTexts - 1) / kCopyTexts, 1);
  return !all[place].is_control && place / each % step == 0;
}

std::vector<CopyText> CopyTextsOf(const ProbeCorpus& corpus, std::span<const std::size_t> places) {
  std::vector<CopyText> texts;
  for (const std::size_t place : places) {
    const ProbeSequence& sequence = corpus.sequences[place];
    CopyText text{.ids = sequence.ids, .is_special = {}};
    text.is_special.assign(sequence.special.begin(), sequence.special.end());
    if (!IsCopyText(corpus, place)) {
      text.left_out.assign(sequence.ids.size(), true);
    } else if (corpus.is_repeats()) {
      // In the first block, heads that look for copies rest.
      for (const std::vector<std::int32_t>& copies : EarlierCopies(sequence)) {
        text.left_out.push_back(copies.empty());
      }
    }
    text.sampled_rows = kSampledRows;
    text.seed = place + 1;
    texts.push_back(std::move(text));
  }
  return texts;
}

void AddEffects(const CopySums& sums, CopyTotals* totals) {
  totals->resize(std::max(totals->size(), sums.rows.size()));
  for (std::size_t head = 0; head < sums.rows.size(); ++head) {
    if (sums.rows[head] > 0) {
      HeadCopy& to = (*totals)[head];
      const auto rows = static_cast<double>(sums.rows[head]);
      const double mean = sums.effect[head] / rows;
      to.effect += sums.effect[head];
      to.rows += rows;
      to.texts += 1.0;
      to.mean += mean;
      to.mean_square += mean * mean;
    }
  }
}

void AddRanks(const CopyRanks& ranks, CopyTotals* totals) {
  totals->resize(std::max(totals->size(), ranks.rows.size()));
  for (std::size_t head = 0; head < ranks.rows.size(); ++head) {
    HeadCopy& to = (*totals)[head];
    to.ranked += static_cast<double>(ranks.rows[head]);
    to.raised += static_cast<double>(ranks.raised[head]);
    to.lowered += static_cast<double>(ranks.lowered[head]);
  }
}

HeadScore CopyScore(const HeadCopy& head) {
  HeadScore score;
  if (head.rows == 0.0) {
    return score;
  }
  score.score = head.effect / head.rows;
  score.chance = 0.0;
  score.rows = static_cast<std::int64_t>(head.rows);
  score.sequences = static_cast<std::int64_t>(head.texts);
  if (head.texts > 1.0) {
    score.error = StandardError(head.mean, head.mean_square, head.texts);
  }
  return score;
}

}  // namespace headscope
