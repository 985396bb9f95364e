// What a model loses without a head, in words.
//
// Units    nats a token; above 0 the model predicts worse.
// Threads  plain values.
#pragma once

#include <optional>
#include <string>

#include "core/heads/scan/ablated_heads.h"

namespace headscope {

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
