#include "app/state/inspect/grid_order.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "app/state/heads/scores.h"
#include "app/state/queries.h"
#include "core/base/parse_number.h"
#include "core/heads/flags/role.h"

namespace headscope {
namespace {

// The metric that Heads is coloured by, and the scores of all heads in it.
struct GridScores {
  std::vector<ScoredMetric> metrics;
  std::optional<HeadsOfScan> heads;
  const ScoredMetric* metric = nullptr;

  explicit GridScores(const AppState& state) {
    const HeadScanReport* const report = PartScanInView(state);
    const GridLook& look = state.grid_look;
    if (report == nullptr || (look.order != GridOrder::kScore && look.least.empty())) {
      return;
    }
    metrics = ScoredMetrics(*report);
    heads = ScannedHeads(*report);
    metric = FindScored(metrics, MetricInView(state));
  }

  [[nodiscard]] std::optional<double> Of(HeadIndex head) const {
    const auto place = heads && metric != nullptr ? PlaceOf(*heads, head) : std::nullopt;
    return place ? metric->scores->heads[*place].score : std::nullopt;
  }
};

std::size_t RankOfRole(const std::string& role) {
  const Role* const found = FindRole(role);
  return found != nullptr ? static_cast<std::size_t>(found - kRoles.data())
                          : kRoles.size();  // own words after all others
}

// Flagged ones first, then what is suggested.
std::tuple<std::size_t, std::string, int> ByRole(const HeadFlag* flag,
                                                 const std::vector<const Suggestion*>& found) {
  if (flag != nullptr) {
    return {RankOfRole(flag->role), flag->role, 0};
  }
  if (!found.empty()) {
    return {RankOfRole(found.front()->role), found.front()->role, 1};
  }
  return {kRoles.size() + 1, "", 2};
}

bool HasRole(const std::string& role,
             const HeadFlag* flag,
             const std::vector<const Suggestion*>& found) {
  return role.empty() || (flag != nullptr && flag->role == role) ||
         std::ranges::any_of(found, [&](const Suggestion* one) { return one->role == role; });
}

// What is not hidden while a person labels blind.
std::optional<Agreement> OnlyInView(const AppState& state) {
  return state.flag_files.is_blind ? std::nullopt : state.heads_look.only;
}

}  // namespace

std::optional<double> LeastScore(const GridLook& look) {
  return ParseAs<double>(look.least);
}

bool IsPlainGrid(const AppState& state) {
  return state.grid_look == GridLook{} && !OnlyInView(state);
}

std::vector<HeadIndex> GridHeads(const AppState& state) {
  const GridLook& look = state.grid_look;
  const FlagSheet& flags = FlagsInView(state);
  const HeadSuggestions suggestions = SuggestionsInView(state);
  const GridScores scores(state);
  const std::optional<Agreement> only = OnlyInView(state);
  const std::optional<double> typed = LeastScore(look);
  const bool has_least = typed && scores.metric != nullptr;
  const double least = typed.value_or(0.0);
  std::vector<HeadIndex> heads;
  for (const std::int64_t layer : LayersInView(state)) {
    for (std::int64_t head = 0; head < ShownHeads(state); ++head) {
      const HeadIndex index{layer, head, PartInView(state)};
      const HeadFlag* const flag = FindFlag(flags, index);
      const bool is_flags =
          look.flags == GridFlags::kAll || (flag != nullptr) == (look.flags == GridFlags::kFlagged);
      const bool is_only = !only || AgreementOf(flags, suggestions, index) == *only;
      const bool is_high = !has_least || scores.Of(index).value_or(least - 1.0) >= least;
      if (is_flags && is_only && is_high && HasRole(look.role, flag, suggestions.Of(index))) {
        heads.push_back(index);
      }
    }
  }
  const auto by = [&](const auto& key) {
    std::ranges::stable_sort(heads, [&](HeadIndex a, HeadIndex b) { return key(a) < key(b); });
  };
  switch (look.order) {
    case GridOrder::kName:
      break;
    case GridOrder::kRole:
      by([&](HeadIndex head) { return ByRole(FindFlag(flags, head), suggestions.Of(head)); });
      break;
    case GridOrder::kFlag:
      by([&](HeadIndex head) {
        const bool is_suggested = !suggestions.Of(head).empty();
        return FindFlag(flags, head) != nullptr ? 0 : (is_suggested ? 1 : 2);
      });
      break;
    case GridOrder::kScore:
      by([&](HeadIndex head) {
        const std::optional<double> score = scores.Of(head);
        return std::pair(!score.has_value(), -score.value_or(0.0));
      });
      break;
  }
  return heads;
}

std::vector<std::string> GridScoreTexts(const AppState& state,
                                        const std::vector<HeadIndex>& heads) {
  std::vector<std::string> texts(heads.size());
  if (state.grid_look.order == GridOrder::kScore) {
    const GridScores scores(state);
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const std::optional<double> score = scores.Of(heads[i]);
      texts[i] = score ? ScoreText(*scores.metric, *score) : "";
    }
  }
  return texts;
}

std::string GridMetric(const AppState& state) {
  const HeadScanReport* const report = PartScanInView(state);
  const std::vector<ScoredMetric> metrics =
      report != nullptr ? ScoredMetrics(*report) : std::vector<ScoredMetric>();
  const ScoredMetric* const metric = FindScored(metrics, MetricInView(state));
  return metric != nullptr ? metric->name : "";
}

std::string WhyNoGridScores(const AppState& state) {
  if (state.flag_files.is_blind) {
    return "Scores are hidden until your flags are saved.";
  }
  return ScanInView(state) == nullptr ? "There are no scores yet: open Heads (3), which scans."
                                      : "";
}

std::string GridLookWords(const AppState& state) {
  const GridLook& look = state.grid_look;
  std::string words;
  const auto add = [&words](const std::string& more) {
    words += (words.empty() ? "" : ", ") + more;
  };
  switch (look.order) {
    case GridOrder::kName:
      break;
    case GridOrder::kRole:
      add("by role");
      break;
    case GridOrder::kFlag:
      add("by flag");
      break;
    case GridOrder::kScore:
      add("by score");
      break;
  }
  if (!look.role.empty()) {
    add(look.role);
  }
  if (look.flags != GridFlags::kAll) {
    add(look.flags == GridFlags::kFlagged ? "flagged" : "not flagged");
  }
  if (const auto only = OnlyInView(state)) {
    add(std::string(AgreementWords(*only)));
  }
  if (const auto least = LeastScore(look)) {
    add(fmt::format("score {} or more", look.least));
  }
  return words.empty() ? "Sort and filter" : words;
}

}  // namespace headscope
