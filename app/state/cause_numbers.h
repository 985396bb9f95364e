// What Help tells of the open model beside its words about causes: numbers that were computed already.
//
// Errors   none: where there is no number yet, the sentence says what would show one.
// Threads  UI thread.
// Cost     a look at what is there; nothing is computed.
#pragma once

#include <string>

#include "app/state/app_state.h"

namespace headscope {

// Keeps the last word that was said, before the row that it goes with is let go.
void KeepSaidWord(AppState* state);

[[nodiscard]] std::string NextWordNumbers(const AppState& state);
[[nodiscard]] std::string ShareNumbers(const AppState& state);
[[nodiscard]] std::string LensNumbers(const AppState& state);
[[nodiscard]] std::string HeadsOffNumbers(const AppState& state);
[[nodiscard]] std::string PatchingNumbers(const AppState& state);
[[nodiscard]] std::string PathNumbers(const AppState& state);

}  // namespace headscope
