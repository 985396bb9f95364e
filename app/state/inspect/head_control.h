// What other heads cost, beside what is off or the selected head: small models are asked by themselves,
// larger ones on request.
//
// Threads  UI thread.
#pragma once

#include <optional>
#include <string>

#include "app/state/app_state.h"

namespace headscope {

// What a control would be of: what is off, else the selected head; none: nothing can be off.
[[nodiscard]] std::optional<ControlPlace> ControlInView(const AppState& state);
// Whether a person is to ask for it: the model is too large to be asked by itself.
[[nodiscard]] bool IsControlOnRequest(const AppState& state);

// "other heads of the layer, 10 draws: +0.02 ± 0.01", or why there is none; empty: not asked, or not there yet.
[[nodiscard]] std::string ControlWords(const AppState& state);
// Says what a control is, for a tooltip.
[[nodiscard]] std::string ControlMore();

}  // namespace headscope
