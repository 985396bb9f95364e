// Finds models by what is typed, in the lists that the menus offer.
//
// Errors   none: what fits no model may still be a path or a name to open.
#pragma once

#include <string_view>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

// Whether a typed text is a path or an address rather than words to look for.
[[nodiscard]] bool LooksLikePath(std::string_view typed);

// Whether it may be a sentence: several words that are no path.
[[nodiscard]] bool LooksLikeSentence(std::string_view typed);

// Whether the open menu shows only what is found.
[[nodiscard]] bool IsFiltered(const AppState& state);

// Returns the bundled, recent and cached models that have every typed word in their name or in what
// is said of them, each folder once; one whose whole name was typed comes first. Capitals do not
// matter. An empty text and a path find none.
[[nodiscard]] std::vector<ModelChoice> FindModels(const AppState& state, std::string_view typed);

}  // namespace headscope
