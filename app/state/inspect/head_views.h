// What the views of one head ask of the state: which heads they show, and what was kept of them.
//
// Threads  UI thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/state/queries.h"
#include "core/figure/text_shades.h"

namespace headscope {

// The heads of the selected layer that are shown: the selected one, or those that are not hidden.
[[nodiscard]] std::vector<std::int64_t> HeadsInView(const AppState& state);
// Their maps; none before there is a layer.
[[nodiscard]] std::vector<MapView> MapsShown(const AppState& state);

// What was kept of these maps, if it has arrived; else null.
[[nodiscard]] const KeptWeights* KeptInView(const AppState& state);

// What the text is shaded by: the chosen words, or else the selected query or, by key, the pointed
// key. No maps: there is no layer.
[[nodiscard]] ShadeQuestion ShadesInView(const AppState& state);
// Of the words that it asks about; and of those that are shaded.
[[nodiscard]] std::shared_ptr<const Encoding> AskedText(const AppState& state);
[[nodiscard]] std::shared_ptr<const Encoding> ShadedText(const AppState& state);
// "L1H3. What “captain” looks at", "Layer 1, mean of 3 heads. ..."
[[nodiscard]] std::string ShadesInWords(const AppState& state, const ShadeQuestion& question);

// Whether lines or arcs are drawn now; and whether the large map is.
[[nodiscard]] bool ShowsLines(const AppState& state);
[[nodiscard]] bool ShowsLargeMap(const AppState& state);

}  // namespace headscope
