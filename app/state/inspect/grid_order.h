// The heads of the grid, sorted and filtered.
//
// Threads  UI thread.
// Cost     a look at every head and its suggestions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

// Layers as rows and heads as columns, all of them.
[[nodiscard]] bool IsPlainGrid(const AppState& state);
// Those of the part in view that the filters let through, in their order.
[[nodiscard]] std::vector<HeadIndex> GridHeads(const AppState& state);

// The scores of these heads, where they are sorted by them: a text each, empty where there is none.
[[nodiscard]] std::vector<std::string> GridScoreTexts(const AppState& state,
                                                      const std::vector<HeadIndex>& heads);
// The name of the metric whose scores these are; empty: there are no scores.
[[nodiscard]] std::string GridMetric(const AppState& state);
// Why heads cannot be sorted by a score now, in a sentence; empty: they can.
[[nodiscard]] std::string WhyNoGridScores(const AppState& state);
// What is typed as the least score; none: nothing, or no number.
[[nodiscard]] std::optional<double> LeastScore(const GridLook& look);

// "Sort and filter", or what is chosen: "by score, only mine"
[[nodiscard]] std::string GridLookWords(const AppState& state);

}  // namespace headscope
