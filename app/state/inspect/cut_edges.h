// Edges of attention that a person cuts in Inspect: which one is meant, which are cut, and in words.
//
// Threads  UI thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

enum class CutRows { kOne, kAll };

// The edge of the pointed or held cell, of its row or of all rows; none: no cell is, or none that
// could be cut.
[[nodiscard]] std::optional<CutEdge> EdgeInView(const AppState& state, CutRows rows);
[[nodiscard]] bool IsCut(const AppState& state, const CutEdge& edge);
// Those of a head, while the maps are shown without them.
[[nodiscard]] std::vector<CutEdge> CutsInView(const AppState& state, HeadIndex head);

// "old (2) → captain (3)", "all rows → the (1)"
[[nodiscard]] std::string EdgeWords(const AppState& state, const CutEdge& edge);
// "1 head", "1 head and 2 edges"
[[nodiscard]] std::string OffCounted(const HeadsOff& off);
// "the rest of the row stays"
[[nodiscard]] std::string RestOfRow(const HeadsOff& off);

// Forgets edges of a text that is no longer the one in view.
void DropOldEdges(AppState* state);

}  // namespace headscope
