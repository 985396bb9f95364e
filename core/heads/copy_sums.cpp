#include "core/heads/copy_sums.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/heads/metric.h"
#include "core/heads/score_words.h"
#include "core/heads/statistics.h"

namespace headscope {
namespace {

bool HasCases(const HeadCopy& head, const HeadScore& score) {
  return score.error && score.sequences >= kFewestCases && head.ranked >= kFewestCases;
}

bool IsClear(const HeadScore& score) {
  return std::abs(*score.score) > kCopyErrors * *score.error;
}

bool IsLarge(const HeadScore& score) {
  return std::abs(*score.score) >= kLeastEffect;
}

double RowsAmongFirst(const HeadCopy& head, const HeadScore& score) {
  return *score.score > 0.0 ? head.raised : head.lowered;
}

}  // namespace

void AddCopies(const CopyTotals& from, CopyTotals* to) {
  to->resize(std::max(to->size(), from.size()));
  for (std::size_t head = 0; head < from.size(); ++head) {
    HeadCopy& sum = (*to)[head];
    for (const auto member : {&HeadCopy::effect,
                              &HeadCopy::rows,
                              &HeadCopy::texts,
                              &HeadCopy::mean,
                              &HeadCopy::mean_square,
                              &HeadCopy::ranked,
                              &HeadCopy::raised,
                              &HeadCopy::lowered}) {
      sum.*member += from[head].*member;
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
      // In the first block heads that look for copies rest.
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

int CopySign(const HeadCopy& head) {
  const HeadScore score = CopyScore(head);
  if (!HasCases(head, score) || !IsClear(score) || !IsLarge(score) ||
      RowsAmongFirst(head, score) < 0.5 * head.ranked) {
    return 0;
  }
  return *score.score > 0.0 ? 1 : -1;
}

std::string WhyNoCopySign(const HeadCopy& head) {
  const HeadScore score = CopyScore(head);
  if (!HasCases(head, score)) {
    return fmt::format(
        "what it does to that token's logit is not said: under {} texts or sampled rows",
        kFewestCases);
  }
  const std::string effect = WithError(std::abs(*score.score), score.error);
  const std::string_view way = *score.score > 0.0 ? "raises" : "lowers";
  if (!IsClear(score)) {
    return fmt::format("it {} that token's logit by {}, within {:.0f} standard errors of 0",
                       way,
                       effect,
                       kCopyErrors);
  }
  if (!IsLarge(score)) {
    return fmt::format("it {} that token's logit by {}, under {}: no {}",
                       way,
                       effect,
                       ShareWords(kLeastEffect),
                       *score.score > 0.0 ? "copying" : "suppression");
  }
  return fmt::format(
      "it {} that token's logit by {}, but that token is among the {} that it {} most in {:.0f} of "
      "{}, under half: no {}",
      way,
      effect,
      CopyEffect::kTop,
      way,
      RowsAmongFirst(head, score),
      Counted(static_cast<std::int64_t>(head.ranked), "sampled row"),
      *score.score > 0.0 ? "copying" : "suppression");
}

Suggestion DescribeCopy(const HeadCopy& copy, HeadIndex head, Verdict verdict) {
  const bool is_raised = CopySign(copy) > 0;
  const HeadScore score = CopyScore(copy);
  Suggestion one;
  one.head = head;
  one.role = is_raised ? "copies" : "suppresses";
  one.metric = kCopyEffect;
  one.verdict = verdict;
  one.score = score.score.value_or(0.0);
  one.error = score.error;
  one.chance = score.chance;
  one.control_kind = "none";
  one.cases = score.rows;
  one.sequences = score.sequences;
  one.why = fmt::format(
      "{} {} the logit of the token that it looks at by {} (at least {} is asked; {} in {}); of {} "
      "it is "
      "among the {} that it {} most in {:.0f}",
      HeadName(head),
      is_raised ? "raises" : "lowers",
      WithError(std::abs(one.score), score.error),
      ShareWords(kLeastEffect),
      Counted(score.rows, "row"),
      Counted(score.sequences, "text"),
      Counted(static_cast<std::int64_t>(copy.ranked), "sampled row"),
      CopyEffect::kTop,
      is_raised ? "raises" : "lowers",
      is_raised ? copy.raised : copy.lowered);
  return one;
}

}  // namespace headscope
