// What a scan adds up of the heads' direct effects on logits (core/heads/copy_effect.h), and what
// follows: which heads copy what they look at, and which suppress it.
//
// A head copies where its mean effect is kLeastEffect or more, is above 0 by kCopyErrors standard
// errors, and the token is among the CopyEffect::kTop that it raises most in half of the sampled rows;
// it suppresses likewise.
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

#include "core/heads/copy_effect.h"
#include "core/heads/decision.h"
#include "core/heads/probe.h"
#include "core/heads/scan_score.h"

namespace headscope {

inline constexpr std::string_view kCopyEffect = "copy_effect";  // in files
inline constexpr double kCopyErrors = 3.0;
inline constexpr double kLeastEffect = 0.1;      // logits; heads at step 0 reach .09
inline constexpr std::int64_t kSampledRows = 3;  // of each text

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
// 1: copies, -1: suppresses, 0: neither is clear.
[[nodiscard]] int CopySign(const HeadCopy& head);
// Where there is no sign, which of its conditions fails: "it raises that token's logit by .46 ± .01,
// but is ...".
[[nodiscard]] std::string WhyNoCopySign(const HeadCopy& head);
// The role of a head with a sign, "copies" or "suppresses"; as sure as that of what it looks at.
[[nodiscard]] Suggestion DescribeCopy(const HeadCopy& copy, HeadIndex head, Verdict verdict);

}  // namespace headscope
