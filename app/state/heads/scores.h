// Scores of all heads: what is shown of a scan, and how it is put into words. Corpus
// numbers and those of the open text stand side by side and are never mixed.
//
// Shapes   places: layers x heads + head, as HeadsOfScan.
// Threads  UI thread; reports are shared and immutable.
// Cost     a look at every head of every metric.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/heads/state.h"
#include "core/heads/flags/head_suggestions.h"
#include "core/heads/scan/scored_metric.h"

namespace headscope {

struct AppState;

// The chosen metrics, as the part in view has them.
[[nodiscard]] std::string MetricInView(const AppState& state);
[[nodiscard]] std::string SecondMetricInView(const AppState& state);
// What is suggested for the heads in view; nothing while a person labels blind.
[[nodiscard]] HeadSuggestions SuggestionsInView(const AppState& state);

[[nodiscard]] Agreement AgreementOf(const FlagSheet& flags,
                                    const HeadSuggestions& suggestions,
                                    HeadIndex head);
[[nodiscard]] std::string_view AgreementWords(Agreement agreement);  // "only suggested"

// The sentence of the suggestion that a flag of that role rests on; else what the scan is and that
// it suggests no such role.
[[nodiscard]] std::string EvidenceFor(const HeadScanReport& report,
                                      HeadIndex head,
                                      std::string_view role);

// "#56B4E9", as flags hold it; grey for a role in somebody's own word.
[[nodiscard]] std::string RoleColour(std::string_view role);

// The report of the model whose picture is shown; null: none, or none yet, or it is hidden while a
// person labels blind.
[[nodiscard]] const HeadScanReport* ScanInView(const AppState& state);
// The same of the part whose heads are in view.
[[nodiscard]] const HeadScanReport* PartScanInView(const AppState& state);
// The scores of the picture's text, of the part in view; null: likewise.
// Whether heads of the open model can be scored, and the screen shows scores.
[[nodiscard]] bool CanScore(const AppState& state);
[[nodiscard]] bool WantsScores(const AppState& state);
// Whether the scan of the open model is wanted: the screen shows scores, or it shows roles and a person
// asked for them or need not wait for them.
[[nodiscard]] bool WantsScan(const AppState& state);
// Whether a scan of its heads takes some seconds, by its weights.
[[nodiscard]] bool IsQuickToScan(const ModelDescription& model);
[[nodiscard]] const ScoreReport* TextScoresInView(const AppState& state);

// The heads in the order of the list; those without a score last.
[[nodiscard]] inline std::vector<std::size_t> InOrder(const ScoredMetric& metric,
                                                      const HeadsLook& look) {
  return InOrder(metric, look.order, look.is_ascending);
}

// The examples of the selected head and the chosen metric; null: none, or not yet.
[[nodiscard]] const ExamplesState* ExamplesInView(const AppState& state);

// The heads most like the selected one on the picture's text; null: not yet.
[[nodiscard]] const AlikeState* AlikeInView(const AppState& state);
// The places of all heads by how alike they look on it; null: not yet.
[[nodiscard]] const HeadPlacesState* HeadPlacesInView(const AppState& state);

}  // namespace headscope
