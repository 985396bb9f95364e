// The scores of a scan as people and programs read them, and their files.
//
// Errors   kIo, kInput (an ending that is not .json or .csv).
// Threads  plain values; writing as core/base/atomic_file.h.
// Source   docs/reference.md, "score".
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/heads/decide/decision.h"
#include "core/heads/effect/ablation.h"
#include "core/heads/scan/model_numbers.h"
#include "core/heads/scan/part.h"
#include "core/heads/scan/scan.h"

namespace headscope {

struct NamedScores {
  std::string id;                                     // "previous_token"
  std::vector<HeadScore> heads = {};                  // the least over groups
  std::vector<std::vector<HeadScore>> by_group = {};  // [group][head]; empty: one group
  std::string why_not = {};                           // where no head has one
  // [head], or empty: the other head of which each score is, where there is one; and their key in
  // files.
  std::vector<std::optional<HeadIndex>> partners = {};
  std::string partner_key = {};
};

// Null: there are none of this id.
[[nodiscard]] const NamedScores* FindScores(std::span<const NamedScores> all, std::string_view id);

struct ScoreReport {
  ScanAbout about;
  std::vector<NamedScores> scores;
  std::vector<Suggestion> suggested;
  std::vector<ScoreReport> more = {};  // of an encoder-decoder: the decoder's, cross-attention's
  std::optional<ModelNumbers> numbers = {};  // of the model; none: not measured
};

// Reports every metric and, where words are annotated, every relation, for the first part of the model.
[[nodiscard]] std::vector<NamedScores> ScoresOf(const ScanAbout& about, const BatchSums& total);

// Reports every part; all have the same names of scores.
[[nodiscard]] ScoreReport MakeReport(const ScanAbout& about,
                                     const BatchSums& total,
                                     const TwinScores& twins = {});

// `ablations`: what was measured beside the scan; none: the JSON has no such key.
[[nodiscard]] std::string ReportJson(const ScoreReport& report,
                                     std::span<const HeadAblation> ablations = {});
[[nodiscard]] std::string ReportCsv(const ScoreReport& report);
[[nodiscard]] Status WriteReport(const std::filesystem::path& path,
                                 const ScoreReport& report,
                                 std::span<const HeadAblation> ablations = {});

}  // namespace headscope
