// What a model loses without the selected head: which of the answers is shown, and how it is put
// into words.
//
// Units    nats a token; above 0 the model predicts worse.
// Threads  UI thread; reports are shared and immutable.
#pragma once

#include <optional>
#include <string>

#include "app/state/heads/state.h"
#include "core/heads/scan/ablated_heads.h"

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
// "+0.012"
[[nodiscard]] std::string ChangeText(double nats);
// " ± 0.003"; empty: it has none.
[[nodiscard]] std::string ChangeErrorText(const std::optional<double>& nats);
// "40 sentences, 812 tokens: the loss is 4.21 nats a token with all heads."
[[nodiscard]] std::string AblatedTexts(const AblationReport& report);
// "Where it gives nothing the loss rises by 0.310 ± 0.020 nats a token: more than without any of 7
// others of its layer."
[[nodiscard]] std::string AblationWords(const AblationReport& report);

// "gives nothing", and what that means in a line of plain words.
struct AblationKindWords {
  const char* name;
  const char* meaning;
};
[[nodiscard]] AblationKindWords WordsOf(AblationKind kind);

}  // namespace headscope
