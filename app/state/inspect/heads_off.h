// Heads that a person took away from the picture, in Inspect: what is shown in place of its layers.
//
// Threads  UI thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

// What the maps are shown without, heads or edges; null: nothing, or the whole model is shown for a look.
[[nodiscard]] const HeadsOff* HeadsOffInView(const AppState& state);
[[nodiscard]] bool IsHeadOff(const AppState& state, HeadIndex head);
// Whether the answer is of these heads and the picture, and is all there.
[[nodiscard]] bool IsHeadsOffDone(const AppState& state);
// The layer in place of the picture's; null: it is the whole model's, or not there yet.
[[nodiscard]] std::shared_ptr<const LayerAttention> LayerWithout(const AppState& state,
                                                                 std::size_t slot);
[[nodiscard]] bool IsLayerWithout(const AppState& state, const LayerAttention* layer);
// Whether a layer of the picture will be another one, and is not there yet.
[[nodiscard]] bool AwaitsLayerWithout(const AppState& state, LayerId layer);
// The picture's layers, those without heads in place of their own.
[[nodiscard]] std::vector<std::shared_ptr<const LayerAttention>> LayersShown(const AppState& state);

// Why no head of what is open can be taken away, in a sentence; empty: it can.
[[nodiscard]] std::string WhyNoHeadsOff(const AppState& state);
// Why the mean over other texts cannot stand in place of a head, in a sentence; empty: it can.
[[nodiscard]] std::string WhyNoOtherTexts(const AppState& state);
// "L1H3, L1H5 (mean of this text)", at most so many names; and of edges "L1H3 old (2) → captain (3)
// cut (the rest of the row stays)".
[[nodiscard]] std::string HeadsOffWords(const AppState& state,
                                        const HeadsOff& off,
                                        std::size_t most = 6);
// "2 heads off: L1H3, L1H5 (zero)", of what was chosen, and then what it costs: "loss 1.09 → 2.74",
// or that it is being computed, or why there is none.
[[nodiscard]] std::string HeadsOffTitle(const AppState& state);
[[nodiscard]] std::string HeadsOffCost(const AppState& state);
// The line of a figure. Empty: it shows the whole model.
[[nodiscard]] std::string HeadsOffNote(const AppState& state);

}  // namespace headscope
