// Scores of all heads: what is shown of a scan, and how it is put into words. Corpus
// numbers and those of the open text stand side by side and are never mixed.
//
// Shapes   places: layers x heads + head, as HeadsOfScan.
// Threads  UI thread; reports are shared and immutable.
// Cost     a look at every head of every metric.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/heads/state.h"
#include "core/heads/flags/flags.h"
#include "core/heads/measure/head_number.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/roles.h"

namespace headscope {

struct AppState;

// A number with its scores on the probe that it is measured on.
struct ScoredMetric {
  std::string id;
  std::string name;   // "previous token", "obj: object looks at its verb"
  std::string label;  // the same where there is little room: "obj: object → verb"
  std::string about;  // a few words
  // Never null.
  const HeadNumber* number = nullptr;
  const NamedScores* scores = nullptr;
  const ProbeScores* probe = nullptr;
  std::optional<std::size_t> best;  // the head that does most; none: no head has a score
};

// Each metric once: those that need repeats on repeats, all others on sentences where there are any.
[[nodiscard]] std::vector<ScoredMetric> ScoredMetrics(const HeadScanReport& report);
[[nodiscard]] const ScoredMetric* FindScored(const std::vector<ScoredMetric>& all,
                                             std::string_view id);
// What a part has in a metric's place, where it has no rows of it: cross-attention the source's.
[[nodiscard]] std::string MetricOfPart(std::string_view id, ModelPart part);
// The chosen metrics, as the part in view has them.
[[nodiscard]] std::string MetricInView(const AppState& state);
[[nodiscard]] std::string SecondMetricInView(const AppState& state);
// The same of one metric, listed or not; none: the report has no such scores.
[[nodiscard]] std::optional<ScoredMetric> ScoredIn(const HeadScanReport& report,
                                                   std::string_view id);

// What the scores suggest (core/heads/scan/roles.h) of each head; those of heads that the report has not are empty.
class HeadSuggestions {
 public:
  HeadSuggestions() = default;
  // Null: none of any head. Those that `flags` reject are left out.
  explicit HeadSuggestions(const HeadScanReport* report, const FlagSheet& flags = {});
  // The flags that came from other models, after those of the scan.
  void AddOtherModels(const FlagSheet& flags);
  [[nodiscard]] const std::vector<const Suggestion*>& Of(HeadIndex head) const&;
  void Of(HeadIndex head) && = delete;  // what it gives ends with this

 private:
  void Sort();

  std::map<HeadIndex, std::vector<const Suggestion*>> by_head_;
  std::vector<const Suggestion*> none_;
  std::shared_ptr<const std::vector<Suggestion>> others_;  // of other models
};

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

// The heads that the report is of; of an encoder-decoder those of one part, the encoder at first.
[[nodiscard]] std::optional<HeadsOfScan> ScannedHeads(const HeadScanReport& report);
// Whether it is one of them, or of the report's other parts; and how many these are.
[[nodiscard]] bool IsScanned(const HeadScanReport& report, HeadIndex head);
[[nodiscard]] std::size_t CountScanned(const HeadScanReport& report);
// Its place among them; none: it is not scanned.
[[nodiscard]] std::optional<std::size_t> PlaceOf(const HeadsOfScan& heads, HeadIndex head);

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
[[nodiscard]] std::vector<std::size_t> InOrder(const ScoredMetric& metric, const HeadsLook& look);
// The heads with the largest scores, at most so many.
[[nodiscard]] std::vector<std::size_t> TopHeads(const ScoredMetric& metric, std::size_t most);

// The examples of the selected head and the chosen metric; null: none, or not yet.
[[nodiscard]] const ExamplesState* ExamplesInView(const AppState& state);

// The heads most like the selected one on the picture's text; null: not yet.
[[nodiscard]] const AlikeState* AlikeInView(const AppState& state);

// Where a score stands in the colours of its metric: 0 at chance or below, 1 at the most.
struct ScoreRange {
  double low = 0.0;
  double high = 1.0;
  bool is_signed = false;             // around 0, both ways alike
  std::optional<double> chance = {};  // the mean over heads, where it is not the low end
  [[nodiscard]] float At(double score) const;
};
[[nodiscard]] ScoreRange RangeOf(const ScoredMetric& metric);

// "0.80", "83 %", "+1.23", "3.42"
[[nodiscard]] std::string ScoreText(const ScoredMetric& metric, double score);
// The same with as many digits as it takes to tell it from 0: "0.0024", "0.4 %".
[[nodiscard]] std::string ToldText(const ScoredMetric& metric, double score);
// What one case of the metric is: "row", "pair", "dependency".
[[nodiscard]] std::string CountedCases(const ScoredMetric& metric, std::int64_t cases);
// ".01", "7"; "<.01" where it rounds to 0
[[nodiscard]] std::string ErrorText(const ScoredMetric& metric, double error);
// "previous token 0.80 ± .01, chance 0.12, control 0.0031; 1241 rows"
[[nodiscard]] std::string ScoreWords(const ScoredMetric& metric, const HeadScore& score);
// Whether the probe has sentences that were not scanned.
[[nodiscard]] bool HasMoreSentences(const HeadScanReport& report);

}  // namespace headscope
