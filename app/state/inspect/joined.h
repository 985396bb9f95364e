// What Inspect's map is of, where it is not of one head.
//
// Threads  UI thread.
#pragma once

#include <memory>
#include <string>

#include "app/state/app_state.h"

namespace headscope {

// The map is asked to be one of several heads.
[[nodiscard]] bool JoinsHeads(const AppState& state);
// Why rollout is chosen and cannot be shown, in a sentence; empty: it can.
[[nodiscard]] std::string WhyNoRollout(const AppState& state);
// Null: one head is shown, or it is not there yet.
[[nodiscard]] std::shared_ptr<const LayerAttention> JoinedInView(const AppState& state);

// "Mean L1", "Rollout L1".
[[nodiscard]] std::string JoinedBriefly(const AppState& state);

}  // namespace headscope
