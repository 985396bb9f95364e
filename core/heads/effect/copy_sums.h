// The sums that a scan makes of the heads' direct effects on logits
// (core/heads/effect/copy_effect.h).
//
// Units    logits; error: standard error of the texts' own means.
// Source   docs/reference.md, "Roles".
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/effect/copy_effect.h"
#include "core/heads/measure/head_means.h"
#include "core/heads/probe/probe.h"

namespace headscope {

inline constexpr std::string_view kCopyEffect = "copy_effect";  // in files
inline constexpr std::int64_t kSampledRows = 3;                 // of each text

// The mean of the effect, beside how often the token is among the first of the vocabulary.
struct HeadCopy : HeadMean {
  double ranked = 0.0;  // sampled rows
  double raised = 0.0;
  double lowered = 0.0;
  // Those in use, in the order of files.
  static constexpr std::array<double HeadCopy::*, 8> kAll = {&HeadCopy::sum,
                                                             &HeadCopy::rows,
                                                             &HeadCopy::texts,
                                                             &HeadCopy::mean,
                                                             &HeadCopy::mean_square,
                                                             &HeadCopy::ranked,
                                                             &HeadCopy::raised,
                                                             &HeadCopy::lowered};
  friend bool operator==(const HeadCopy&, const HeadCopy&) = default;
};
using CopyTotals = std::vector<HeadCopy>;  // [head], or empty

// The most texts of a corpus that are run for this, and whether a text is one of them. Its index
// decides, so that every part of a scan chooses the same texts.
inline constexpr std::size_t kCopyTexts = 24;
[[nodiscard]] bool IsCopyText(const ProbeCorpus& corpus, std::size_t place);

// Says what to measure in each text of a run: nothing in texts that are not copy texts.
[[nodiscard]] std::vector<CopyText> CopyTextsOf(const ProbeCorpus& corpus,
                                                std::span<const std::size_t> places);
// Adds the results of one text of a run.
void AddEffects(const CopySums& sums, CopyTotals* totals);
void AddRanks(const CopyRanks& ranks, CopyTotals* totals);

}  // namespace headscope
