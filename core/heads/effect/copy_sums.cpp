#include "core/heads/effect/copy_sums.h"

#include <algorithm>

#include "core/heads/measure/metric.h"
#include "core/heads/probe/choice.h"

namespace headscope {

bool IsCopyText(const ProbeCorpus& corpus, std::size_t place) {
  return !corpus.sequences[place].is_control && IsAmongSome(corpus, place, kCopyTexts);
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
      (*totals)[head].AddText(sums.effect[head], 0.0, 0.0, static_cast<double>(sums.rows[head]));
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

}  // namespace headscope
