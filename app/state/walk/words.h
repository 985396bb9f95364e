// What the walk from one head to h heads says, of the numbers that are there.
//
// Threads  plain functions of the state and of an immutable walk.
// Cost     a look at one row or at a head's uses of its inputs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"
#include "core/headcount/walk.h"

namespace headscope {

[[nodiscard]] bool IsWalking(const AppState& state);
// The walk of what is selected, or the last one while that is on its way; null: none.
[[nodiscard]] const LayerWalk* WalkInView(const AppState& state);
[[nodiscard]] bool IsWalkStale(const AppState& state);
// Why there is nothing to walk through, in a sentence; empty: there is, or it is on its way.
[[nodiscard]] std::string WhyNoWalk(const AppState& state);

[[nodiscard]] std::string StageName(WalkStage stage);   // "Attend"
[[nodiscard]] std::string StageTitle(WalkStage stage);  // "3 · Attend"
// "layer 2 of 6, head 4 of 12", counted from 0.
[[nodiscard]] std::string WalkPlaceWords(const AppState& state);
[[nodiscard]] std::string WalkConvention(Theme theme, Curve curve);

// The row that is told of: the selected one, or the last of those kept.
[[nodiscard]] std::int64_t WalkRowInView(const AppState& state, const LayerWalk& walk);
// The selected key, or the one with the largest weight in that row.
[[nodiscard]] std::int64_t WalkKeyInView(const AppState& state, const LayerWalk& walk);

// A paragraph about the step, with this layer's numbers; `token` is the row's.
[[nodiscard]] std::string StageWords(const LayerWalk& walk,
                                     WalkStage stage,
                                     std::int64_t row,
                                     const std::string& token);

// "0.0312", "-12.3457", "1.20e-05".
[[nodiscard]] std::string NumberText(double value);

// q_c k_c of a cell, in double; empty for a cell that is not kept.
[[nodiscard]] std::vector<double> ProductsOf(const LayerWalk& walk,
                                             std::int64_t row,
                                             std::int64_t key);
// From the dot product to the weight, a line each: {"÷ √32", "4.5970", "score"}.
struct ScoreLine {
  std::string name;
  std::string number;
  std::string about = {};
};
[[nodiscard]] std::vector<ScoreLine> ScoreLines(const LayerWalk& walk,
                                                std::int64_t row,
                                                std::int64_t key);

}  // namespace headscope
