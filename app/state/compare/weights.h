// What changed between the weights of the two sides of Compare, as the views ask for it.
//
// Threads  UI thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/compare/weight_changes.h"

namespace headscope {

// Whether the list of weights stands in place of heads and pairs.
[[nodiscard]] bool ShowsWeights(const AppState& state);
// Why the two sides have no weights to compare, in a sentence; empty: they may have.
[[nodiscard]] std::string WhyNoWeights(const AppState& state);
[[nodiscard]] std::optional<CompareState::WeightsQuestion> WeightsToCompare(const AppState& state);
// Of the two sides as they are now; null: not there, or not yet.
[[nodiscard]] std::shared_ptr<const WeightChanges> WeightsInView(const AppState& state);
// Places of the parts that what is typed names: a head, or a part of a name; all where nothing is.
[[nodiscard]] std::vector<std::size_t> SoughtWeights(const WeightChanges& changes,
                                                     const std::string& typed);

}  // namespace headscope
