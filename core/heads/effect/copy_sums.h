// What a scan adds up of the heads' direct effects on logits (core/heads/effect/copy_effect.h).
//
// Units    logits; error: standard error of the texts' own means.
// Threads  plain values.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/effect/copy_effect.h"
#include "core/heads/measure/head_score.h"
#include "core/heads/probe/probe.h"

namespace headscope {

inline constexpr std::string_view kCopyEffect = "copy_effect";  // in files
inline constexpr std::int64_t kSampledRows = 3;                 // of each text

struct HeadCopy {
  double effect = 0.0;  // over rows
  double rows = 0.0;
  double texts = 0.0;  // with a row
  double mean = 0.0;   // over texts
  double mean_square = 0.0;
  double ranked = 0.0;  // sampled rows
  double raised = 0.0;
  double lowered = 0.0;
  friend bool operator==(const HeadCopy&, const HeadCopy&) = default;
};
using CopyTotals = std::vector<HeadCopy>;  // [head], or empty

void AddCopies(const CopyTotals& from, CopyTotals* to);

// How many texts of a corpus are run for this at most, and whether one is among them: by its place,
// so that every share of a scan takes the same.
inline constexpr std::size_t kCopyTexts = 24;
[[nodiscard]] bool IsCopyText(const ProbeCorpus& corpus, std::size_t place);

// What is asked of each text of a run; of those that are not copy texts nothing.
[[nodiscard]] std::vector<CopyText> CopyTextsOf(const ProbeCorpus& corpus,
                                                std::span<const std::size_t> places);
// Adds what one text of a run gave.
void AddEffects(const CopySums& sums, CopyTotals* totals);
void AddRanks(const CopyRanks& ranks, CopyTotals* totals);

[[nodiscard]] HeadScore CopyScore(const HeadCopy& head);

}  // namespace headscope
