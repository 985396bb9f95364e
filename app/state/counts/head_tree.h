// Questions that the views and the reducer ask about the tree of head counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/state/queries.h"
#include "core/headcount/attention_widths.h"

namespace headscope {

// How a layer is cut now: the usual counts and those that a person added, as far as it has columns.
[[nodiscard]] SplitRequest CutOf(const AppState& state, const LayerAttention& layer);
// Whether anything of a cut is drawn, so that another seed gives another one.
[[nodiscard]] bool IsDrawn(const SplitRequest& how);
[[nodiscard]] SplitRequest DrawnAnew(SplitRequest how);
// Which weights there are to choose from, in the order in which they are offered: the model's own
// step 0 where it lies beside the model.
[[nodiscard]] std::vector<SplitWeights> WeightsOffered(const AppState& state);
// Whether all counts are there and measured.
[[nodiscard]] bool IsWhole(const Counts& counts);
// Whether the counts on screen are of another layer, text or cut than asked for by now.
[[nodiscard]] bool AreCountsStale(const AppState& state);

// A head among the counts that are there.
struct TreeHead {
  std::size_t row = 0;  // index of the count
  std::int64_t head = 0;
  friend bool operator==(const TreeHead&, const TreeHead&) = default;
};
[[nodiscard]] std::optional<TreeHead> FindInTree(const AppState& state, CountHead head);
// The heads of the selected count that a person has write 0, ascending.
[[nodiscard]] std::vector<std::int64_t> ZeroedHeads(const AppState& state);
[[nodiscard]] MapView MapOf(const AppState& state, TreeHead head);

// A parent with its children: the selected head's, or, where that has no parent, with it as parent.
struct HeadFamily {
  TreeHead parent;
  std::size_t row = 0;  // of the children
  std::vector<std::int64_t> children;
};
[[nodiscard]] std::optional<HeadFamily> FamilyOf(const AppState& state);
// What the selected head stands beside: the pinned one, else its parent; none: neither is there.
[[nodiscard]] std::optional<TreeHead> HeadBeside(const AppState& state);

// What is to be measured of the selected head's row and its parents; of it and the pinned one.
[[nodiscard]] std::optional<LineageQuestion> RowQuestion(const AppState& state);
[[nodiscard]] std::optional<LineageQuestion> PinQuestion(const AppState& state);
[[nodiscard]] const LineageAnswer* AnswerTo(const AppState& state,
                                            const std::optional<LineageQuestion>& question);

// The layer that is cut, as it is and with the d_k and d_v that a person typed: counted, not made.
struct OtherWidths {
  AttentionWidths own;
  AttentionWidths other;
  WidthCosts own_costs;
  WidthCosts other_costs;
  std::string fault;  // of what was typed, in a sentence; `other` is then as far as it can be read
};
inline constexpr std::int64_t kMostOtherWidth = 65536;
// None: no layer is cut, or it is not known how its projections are made.
[[nodiscard]] std::optional<OtherWidths> OtherWidthsOf(const AppState& state);

// The children's row, in the order that is asked for, with what is known of each.
struct SeparatedHead {
  std::int64_t head = 0;
  std::optional<double> divergence;  // none: not yet measured, or no row sees two keys
  bool is_measured = false;
};
[[nodiscard]] std::vector<SeparatedHead> SeparatedHeads(const AppState& state);

}  // namespace headscope
