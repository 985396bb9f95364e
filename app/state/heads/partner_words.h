// The heads that the selected one reads by its weights, and those that read it: which are shown, and
// how they are put into words.
//
// Threads  UI thread.
// Source   core/heads/effect/key_composition.h.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/heads/scores.h"
#include "core/heads/effect/key_composition.h"

namespace headscope {

struct AppState;

// The answer for the selected head of the model in view, or why there is none; null: not yet.
[[nodiscard]] const PartnersState* PartnersInView(const AppState& state);

// At most `most` that stand three standard deviations over random weights, the most first; of those
// that are read by keys the best one that looks at the previous token is always among them.
[[nodiscard]] std::vector<const CompositionPartner*> ShownPartners(
    const std::vector<CompositionPartner>& all,
    const HeadSuggestions& suggestions,
    std::size_t most);

[[nodiscard]] std::string_view WayName(CompositionWay way);  // "keys"
// "+12 σ"
[[nodiscard]] std::string SigmaText(const CompositionPartner& partner);
// "The keys of L1H2 read what L0H3 writes: .21 of 1, random weights .06 ± .004."
[[nodiscard]] std::string PartnerWords(const CompositionPartner& partner,
                                       HeadIndex of,
                                       bool reads_it);

}  // namespace headscope
