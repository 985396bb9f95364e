#include "app/state/heads/role_words.h"

#include <algorithm>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/queries.h"
#include "core/base/counted.h"
#include "core/heads/decide/relations.h"
#include "core/heads/scan/roles.h"

namespace headscope {
namespace {

constexpr std::size_t kMostNamed = 2;
constexpr double kMuch = 0.5;  // of attention on the first token

// A high score that decides nothing yet.
std::string Undecided(const ScoredMetric& metric, const HeadScore& score, bool has_more) {
  if (!score.score || score.rows == 0) {
    return "";
  }
  const double beside = std::max(score.chance.value_or(0.0), score.control.value_or(0.0));
  const bool is_clear = *score.score - beside >= kLeastLift;
  if (metric.number->is_of_words && is_clear && (has_more || score.rows < kFewestPairs)) {
    return fmt::format(
        "{} {} of {}", metric.name, ScoreText(metric, *score.score), Counted(score.rows, "pair"));
  }
  const double threshold = metric.number->threshold;
  const bool is_few = score.rows < kFewestCases || score.sequences < kFewestCases;
  if (threshold > 0.0 && is_clear && *score.score >= threshold && is_few) {
    return fmt::format("{} {} over {} of {}",
                       metric.name,
                       ScoreText(metric, *score.score),
                       CountedCases(metric, score.rows),
                       Counted(score.sequences, "text"));
  }
  return "";
}

// " over 40 of 471 sentences"; empty: over all.
std::string OverSome(const HeadScanReport& report) {
  return HasMoreSentences(report) ? fmt::format(" over {} of {} sentences",
                                                report.sentences->report.about.sequences,
                                                report.all_sentences)
                                  : "";
}

}  // namespace

const HeadScore* ScoreOnText(const ScoreReport& text, std::string_view id, std::size_t place) {
  const NamedScores* const found = FindScores(text.scores, id);
  return found != nullptr && place < found->heads.size() ? &found->heads[place] : nullptr;
}

std::vector<std::string> UndecidedRoles(const HeadScanReport& report, HeadIndex head) {
  const HeadScanReport& part = report.Of(head.part);
  const auto heads = ScannedHeads(part);
  const auto place = heads ? PlaceOf(*heads, head) : std::nullopt;
  const auto suggested = AllSuggestions(part);
  std::vector<std::string> undecided;
  for (const ScoredMetric& metric : place ? ScoredMetrics(part) : std::vector<ScoredMetric>()) {
    const bool is_decided = std::ranges::any_of(suggested, [&](const Suggestion* one) {
      return one->head == head && one->metric == metric.id;
    });
    std::string words = Undecided(metric, metric.scores->heads[*place], HasMoreSentences(part));
    if (!is_decided && !words.empty()) {
      undecided.push_back(std::move(words));
    }
  }
  return undecided;
}

std::string UndecidedWords(const HeadScanReport& report, HeadIndex head) {
  const std::vector<std::string> all = UndecidedRoles(report, head);
  if (all.empty()) {
    return "";
  }
  const std::size_t named = std::min(all.size(), kMostNamed);
  return fmt::format(
      "Not decided{}: {}{}. A relation is decided from {} pairs in {} sentences on, other roles "
      "from {} rows in {} texts.",
      HasMoreSentences(report) ? " yet" + OverSome(report) : "",
      fmt::join(std::span(all).first(named), ", "),
      all.size() > named ? fmt::format(" and {} more", all.size() - named) : "",
      kFewestPairs,
      kFewestSentences,
      kFewestCases,
      kFewestCases);
}

std::string NoRoleWords(const HeadScanReport& report, const FlagSheet& flags, HeadIndex head) {
  const auto all = AllSuggestions(report);
  const bool is_rejected = std::ranges::any_of(all, [&](const Suggestion* one) {
    return one->head == head && FindRejection(flags, head, one->role) != nullptr;
  });
  if (is_rejected) {
    return "No role is left: what the scores suggest was rejected.";
  }
  if (std::string undecided = UndecidedWords(report, head); !undecided.empty()) {
    return undecided;
  }
  return fmt::format("No role{}: nothing here is clear of chance and control{}.",
                     HasMoreSentences(report) ? " so far" : "",
                     OverSome(report));
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
