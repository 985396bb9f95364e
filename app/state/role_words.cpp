#include "app/state/role_words.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "app/state/head_scores.h"
#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/heads/relations.h"

namespace headscope {
namespace {

constexpr std::size_t kMostNamed = 2;
constexpr double kMuch = 0.5;  // of attention on the first token

// A high score of which there are too few cases for a decision: "iobj → its head 85 % of 13 pairs".
std::string TooFew(const ScoredMetric& metric, const HeadScore& score) {
  if (!score.score || score.rows == 0) {
    return "";
  }
  const double beside = std::max(score.chance.value_or(0.0), score.control.value_or(0.0));
  const bool is_clear = *score.score - beside >= kLeastLift;
  if (metric.is_relation && is_clear && score.rows < kFewestPairs) {
    return fmt::format(
        "{} {:.0f} % of {}", metric.name, 100.0 * *score.score, Counted(score.rows, "pair"));
  }
  const bool has_role = metric.metric != nullptr && !metric.metric->role.empty();
  const bool is_few = score.rows < kFewestCases || score.sequences < kFewestCases;
  if (has_role && is_clear && *score.score >= metric.metric->threshold && is_few) {
    return fmt::format("{} {:.2f} over {} of {}",
                       metric.name,
                       *score.score,
                       Counted(score.rows, "row"),
                       Counted(score.sequences, "text"));
  }
  return "";
}

}  // namespace

const HeadScore* ScoreOnText(const ScoreReport& text, std::string_view id, std::size_t place) {
  const auto found = std::ranges::find(text.scores, id, &NamedScores::id);
  return found != text.scores.end() && place < found->heads.size() ? &found->heads[place] : nullptr;
}

std::string NoRoleWords(const HeadScanReport& report, const FlagSheet& flags, HeadIndex head) {
  const auto all = AllSuggestions(report);
  const bool is_rejected = std::ranges::any_of(all, [&](const Suggestion* one) {
    return one->head == head && FindRejection(flags, head, one->role) != nullptr;
  });
  if (is_rejected) {
    return "No role is left: what the scores suggest was rejected.";
  }
  const HeadScanReport& part = report.Of(head.part);
  const auto heads = ScannedHeads(part);
  const auto place = heads ? PlaceOf(*heads, head) : std::nullopt;
  std::vector<std::string> few;
  if (place) {
    for (const ScoredMetric& metric : ScoredMetrics(part)) {
      const HeadScore& score = metric.scores->heads[*place];
      if (std::string words = TooFew(metric, score); !words.empty()) {
        few.push_back(std::move(words));
      }
    }
  }
  if (few.empty()) {
    return "No role: nothing here is clear of chance and control.";
  }
  const std::size_t named = std::min(few.size(), kMostNamed);
  return fmt::format(
      "Too few cases to say: {}{}. A relation is decided from {} pairs in {} sentences on, other "
      "roles from {} rows in {} texts.",
      fmt::join(std::span(few).first(named), ", "),
      few.size() > named ? fmt::format(" and {} more", few.size() - named) : "",
      kFewestPairs,
      kFewestSentences,
      kFewestCases,
      kFewestCases);
}

std::string RoleOnTextWords(const Suggestion& one, const ScoreReport& text, std::size_t place) {
  const HeadMetric* const metric = FindMetric(one.metric);
  const HeadScore* const here = ScoreOnText(text, one.metric, place);
  if (metric == nullptr || here == nullptr) {
    return "";  // of weights, of effects on logits, of annotated words: a text alone has none
  }
  const HeadScore* const first = ScoreOnText(text, "first_token", place);
  const bool rests =
      one.metric != "first_token" && first != nullptr && first->score && *first->score >= kMuch;
  const std::string rest =
      rests ? fmt::format("it rests on the first token ({:.0f} %)", 100.0 * *first->score) : "";
  if (!here->score || here->rows == 0) {
    return fmt::format("On this text no row asks for it: silent here{}.",
                       rests ? ", so " + rest : "");
  }
  const bool is_less = *here->score < 0.5 * one.score;
  return fmt::format("On this text: {:.2f} over {}{}{}.",
                     *here->score,
                     Counted(here->rows, "row"),
                     is_less ? ", less than half of that" : "",
                     is_less && rests ? "; " + rest : "");
}

}  // namespace headscope
