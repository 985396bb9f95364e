#include "core/heads/decide/decision.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/digits.h"
#include "core/heads/decide/statistics.h"
#include "core/heads/measure/head_score.h"

namespace headscope {
namespace {

std::string Sentence(const Suggestion& found, const HeadMetric& metric) {
  const std::string& target = metric.TargetIn(found.head.part);
  const std::string score = WithError(found.score, found.error);
  std::string why =
      metric.is_rate
          ? fmt::format(
                "{} has its largest weight on {} in {}", HeadName(found.head), target, score)
          : fmt::format("{} puts {} of its attention on {}", HeadName(found.head), score, target);
  why += fmt::format("; chance {}", ShareWords(found.chance.value_or(0.0)));
  if (found.control) {
    why += fmt::format(", {} {}", metric.words.control_name, ShareWords(*found.control));
  }
  if (found.twin) {
    why += fmt::format(", best shuffled copy {}", ShareWords(*found.twin));
  }
  return fmt::format(
      "{} ({} in {})", why, Counted(found.cases, "row"), Counted(found.sequences, "sequence"));
}

struct GroupDecision {
  HeadScore score;
  Verdict verdict = Verdict::kNone;
  double p_corrected = 1.0;
};

// Whether the 95 % interval around 0 has it. Asked by tails: a quantile is found by a hundred of them.
bool IsWithinError(double apart, double error, std::int64_t freedom) {
  constexpr double kOutside = 0.025;  // on either side
  return error > 0.0 && StudentTail(std::abs(apart) / error, freedom) >= kOutside;
}

GroupDecision DecideGroup(const MetricSums& sums,
                          const HeadMetric& metric,
                          std::size_t head,
                          std::int64_t tests) {
  GroupDecision decision{.score = ScoreOf(sums, metric, head)};
  if (sums.rows < kFewestCases || sums.sequences < kFewestCases) {
    decision.verdict = Verdict::kCannotSay;
    return decision;
  }
  if (metric.needs_control && sums.control_rows == 0) {
    decision.verdict = Verdict::kCannotSay;
    return decision;
  }
  const HeadSums& own = sums.heads[head];
  const auto count = static_cast<double>(sums.sequences);
  const std::int64_t freedom = sums.sequences - 1;
  const auto m = static_cast<double>(tests);
  // Over the control and over chance: the one that is cleared by less decides.
  double lift = 1.0;
  decision.p_corrected = 0.0;
  for (const auto& [sum, squares] : {std::pair(own.difference, own.difference_square),
                                     std::pair(own.above_chance, own.above_chance_square)}) {
    const double one = sum / count;
    const double error = StandardError(sum, squares, count);
    // The lower bound is at least the least lift where this is at most the level.
    const double p = error > 0.0 ? m * StudentTail((one - kLeastLift) / error, freedom)
                                 : (one >= kLeastLift ? 0.0 : 1.0);
    decision.p_corrected = std::max(decision.p_corrected, std::min(1.0, p));
    lift = std::min(lift, one);
  }
  const double score = metric.is_place ? std::min(*decision.score.score, *decision.score.control)
                                       : *decision.score.score;
  if (lift > 0.0 && IsWithinError(metric.threshold - score, *decision.score.error, freedom)) {
    decision.verdict = Verdict::kBorderline;
  } else if (score >= metric.threshold && decision.p_corrected <= kRoleLevel) {
    decision.verdict = Verdict::kStrong;
  }
  return decision;
}

// The group that says least speaks for all of them.
GroupDecision DecideGroups(const GroupSums& groups,
                           const HeadMetric& metric,
                           std::size_t head,
                           std::int64_t tests,
                           std::optional<double> twin) {
  GroupDecision least{.score = {}, .verdict = Verdict::kCannotSay};
  bool is_first = true;
  for (const MetricSums& group : groups) {
    if (group.rows == 0) {
      continue;
    }
    const GroupDecision own = DecideGroup(group, metric, head, tests);
    const Verdict verdict = is_first ? own.verdict : std::min(least.verdict, own.verdict);
    if (is_first || *own.score.score < *least.score.score) {
      least = own;
    }
    least.verdict = verdict;
    is_first = false;
  }
  if (twin && least.verdict == Verdict::kStrong && *least.score.score < *twin + kAboveTwin) {
    least.verdict = Verdict::kNone;
  }
  return least;
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  switch (verdict) {
    case Verdict::kStrong:
      return "strong";
    case Verdict::kBorderline:
      return "borderline";
    case Verdict::kCannotSay:
      return "cannot say";
    case Verdict::kNone:
      break;
  }
  return "none";
}

Suggestion DecideShare(const GroupSums& groups,
                       const HeadMetric& metric,
                       const HeadsOfScan& heads,
                       std::size_t head,
                       std::int64_t tests,
                       std::optional<double> twin) {
  Suggestion found;
  found.head = heads.At(head);
  found.role = metric.role;
  found.metric = metric.id;
  const GroupDecision decision = DecideGroups(groups, metric, head, tests, twin);
  found.verdict = decision.verdict;
  if (decision.score.score) {
    found.score = *decision.score.score;
    found.error = decision.score.error;
    found.chance = decision.score.chance;
    found.control = decision.score.control;
    found.cases = decision.score.rows;
    found.sequences = decision.score.sequences;
    found.p_corrected = decision.p_corrected;
  }
  found.control_kind = std::string(found.control ? metric.words.control_name : "chance");
  found.twin = twin;
  found.why = Sentence(found, metric);
  return found;
}

Verdict VerdictOf(const GroupSums& groups,
                  const HeadMetric& metric,
                  std::size_t head,
                  std::int64_t tests,
                  std::optional<double> twin) {
  return DecideGroups(groups, metric, head, tests, twin).verdict;
}

std::int64_t QuestionsOf(const ScanSums& sums, const HeadsOfScan& heads) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  std::int64_t roles = 0;
  for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
    const bool has_rows =
        std::ranges::any_of(sums[metric], [](const MetricSums& group) { return group.rows > 0; });
    roles += !metrics[metric].role.empty() && has_rows ? 1 : 0;
  }
  return roles * static_cast<std::int64_t>(heads.count());
}

std::vector<Suggestion> DecideShares(const ScanSums& sums,
                                     const HeadsOfScan& heads,
                                     const std::vector<double>& twin,
                                     std::int64_t others) {
  const std::span<const HeadMetric> metrics = AllMetrics();
  const std::int64_t tests = QuestionsOf(sums, heads) + others;
  std::vector<Suggestion> found;
  for (std::size_t head = 0; head < heads.count(); ++head) {
    for (std::size_t metric = 0; metric < metrics.size(); ++metric) {
      if (metrics[metric].role.empty()) {
        continue;
      }
      Suggestion one = DecideShare(sums[metric],
                                   metrics[metric],
                                   heads,
                                   head,
                                   tests,
                                   twin.empty() ? std::nullopt : std::optional(twin[metric]));
      if (one.verdict == Verdict::kStrong || one.verdict == Verdict::kBorderline) {
        found.push_back(std::move(one));
      }
    }
  }
  return found;
}

}  // namespace headscope
