// What the views of one head ask of the state: which heads they show, and what was kept of them.
//
// Threads  UI thread.
#pragma once

#include <cstdint>
#include <vector>

#include "app/state/queries.h"

namespace headscope {

// The heads of the selected layer that are shown: the selected one, or those that are not hidden.
[[nodiscard]] std::vector<std::int64_t> HeadsInView(const AppState& state);
// Their maps; none before there is a layer.
[[nodiscard]] std::vector<MapView> MapsInView(const AppState& state);

// What was kept of these maps, if it has arrived; else null.
[[nodiscard]] const KeptWeights* KeptInView(const AppState& state);

// Whether lines or arcs are drawn now.
[[nodiscard]] bool ShowsLines(const AppState& state);

}  // namespace headscope
