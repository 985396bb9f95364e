#include "core/heads/decide/copy_role.h"

#include <cmath>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/digits.h"

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

int CopySign(const HeadCopy& head) {
  const HeadScore score = MeanScore(head);
  if (!HasCases(head, score) || !IsClear(score) || !IsLarge(score) ||
      RowsAmongFirst(head, score) < 0.5 * head.ranked) {
    return 0;
  }
  return *score.score > 0.0 ? 1 : -1;
}

std::string WhyNoCopySign(const HeadCopy& head) {
  const HeadScore score = MeanScore(head);
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
  const HeadScore score = MeanScore(copy);
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
      "it is among the {} that it {} most in {:.0f}",
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
