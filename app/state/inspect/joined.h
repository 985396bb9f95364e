// What Inspect's map is of, where it is not of one head.
//
// Threads  UI thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/state/app_state.h"

namespace headscope {

// The map is asked to be one of several heads.
[[nodiscard]] bool JoinsHeads(const AppState& state);
// The map is asked to be the head's weights times the lengths of what its keys bring.
[[nodiscard]] bool WeighsHead(const AppState& state);
// Why what is chosen cannot be shown, in a sentence; empty: it can.
[[nodiscard]] std::string WhyNoMapOf(const AppState& state);
[[nodiscard]] std::string WhyNoWeighing(const AppState& state);
// Null: one head is shown as it is, or the map is not there yet.
[[nodiscard]] std::shared_ptr<const LayerAttention> JoinedInView(const AppState& state);
// The same, of a head that is weighed.
[[nodiscard]] std::shared_ptr<const WeighedHead> WeighedInView(const AppState& state);
// Why the worker gave none; empty: it did, or it is under way.
[[nodiscard]] const std::string& FaultOfMapOf(const AppState& state);

// What a number of that map is: "mean weight", "weight × length".
[[nodiscard]] std::string_view CellOfMapOf(const AppState& state);
// "Mean L1", "Rollout L1", "L1H3 × values".
[[nodiscard]] std::string JoinedBriefly(const AppState& state);

}  // namespace headscope
