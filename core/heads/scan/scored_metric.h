// Scores of all heads, as screens and figures show them: which numbers there are, in which order heads stand, where a
// score stands in the colours, and how numbers are written.
//
// Shapes   places: layers x heads + head, as HeadsOfScan.
// Threads  any; what is returned points into the report.
// Cost     a look at every head of every metric.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/measure/head_number.h"
#include "core/heads/scan/head_scan.h"

namespace headscope {

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
// The same of one metric, listed or not; none: the report has no such scores.
[[nodiscard]] std::optional<ScoredMetric> ScoredIn(const HeadScanReport& report,
                                                   std::string_view id);

// The heads that the report is of; of an encoder-decoder those of one part, the encoder at first.
[[nodiscard]] std::optional<HeadsOfScan> ScannedHeads(const HeadScanReport& report);
// Its place among them; none: it is not scanned.
[[nodiscard]] std::optional<std::size_t> PlaceOf(const HeadsOfScan& heads, HeadIndex head);

enum class HeadsOrder { kName, kScore, kError, kChance, kControl, kRows };
// The heads in the order of the list; those without a score last.
[[nodiscard]] std::vector<std::size_t> InOrder(const ScoredMetric& metric,
                                               HeadsOrder by,
                                               bool is_ascending);
// The heads with the largest scores, at most so many.
[[nodiscard]] std::vector<std::size_t> TopHeads(const ScoredMetric& metric, std::size_t most);

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

// "the built-in texts", "gap.tsv", "hidden sentences"
[[nodiscard]] std::string NameOfProbe(const ChosenProbe& probe);
// "20 sequences each of periods 10, 20, 40 · 40 of 471 sentences", "gap.tsv: 449 texts"
[[nodiscard]] std::string ProbeWords(const HeadScanReport& report);
// What one score is of: "bundled repeats", "bundled sentences", "gap.tsv".
[[nodiscard]] std::string SourceOf(const HeadScanReport& report, const ScoredMetric& metric);

}  // namespace headscope
