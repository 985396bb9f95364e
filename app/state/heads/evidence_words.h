// Evidence for the selected head's roles over pairs of texts: whether it can be asked for, and in
// words.
//
// Threads  UI thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/state/app_state.h"

namespace headscope {

// Why the model in view has no such evidence, in a sentence; empty: it may have.
[[nodiscard]] std::string WhyNoEvidence(const AppState& state);
// The model's; null: not asked, or not there yet.
[[nodiscard]] const FoundEvidence* EvidenceInView(const AppState& state);

struct EvidenceLine {
  std::string name;       // "moves names"
  std::string number;     // "+0.412 ±0.031"
  std::string beside;     // "control +0.010, chance 0, 48 pairs"
  std::string meaning;    // of a tooltip
  bool is_clear = false;  // apart from its control by three errors
};
[[nodiscard]] std::vector<EvidenceLine> LinesOfEvidence(const FoundEvidence& found, HeadIndex head);
// "on 48 of the 48 pairs of names.tsv; those that move names most: L9H9, L10H0"
[[nodiscard]] std::string EvidenceSource(const FoundEvidence& found);

}  // namespace headscope
