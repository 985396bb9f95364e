// What a model loses without the selected head: which of the answers is shown, and how it is put
// into words.
//
// Units    nats a token; above 0 the model predicts worse.
// Threads  UI thread; reports are shared and immutable.
#pragma once

#include <optional>
#include <string>

#include "app/state/heads/state.h"
#include "core/heads/scan/ablation_words.h"

namespace headscope {

struct AppState;

// The question is of the selected head, the model in view and the chosen texts; none: nothing can
// be asked yet, or WhyNotAblated.
[[nodiscard]] std::optional<AblationState::Question> AblationQuestion(const AppState& state);
// Why this model has no loss that a head could change, in a sentence; empty: it may have.
[[nodiscard]] std::string WhyNotAblated(const AppState& state);
// Whether the scan in view has both kinds of texts.
[[nodiscard]] bool HasBothProbes(const AppState& state);

// The answer to the question, whole or not; null: none.
[[nodiscard]] const AblationReport* AblationInView(const AppState& state);
// What is measured now, of any head; null: nothing, or nothing of it yet.
[[nodiscard]] const AblationReport* AblationUnderWay(const AppState& state);

// "without L0H3 and others of its layer: 4 of 11 heads, 8 s left"
[[nodiscard]] std::string AblatingWords(const AppState& state);

}  // namespace headscope
