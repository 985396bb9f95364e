// Which heads have a role, decided from the sums of a scan: how sure it is, and a sentence with its
// numbers. A head may hold several roles.
//
// For a share of attention: x_s = a sequence's own score, c_s = its control, or its chance, S
// sequences, m tests. LB = mean(x - c) - t(S - 1, 1 - .01/m) sd(x - c) / sqrt(S).
//   strong       score >= the metric's threshold, LB >= .10 over the control and over chance, score >=
//                the highest of the twins + .05 where twins were made; of repeats in every period
//   borderline   the 95 % interval of the score holds the threshold, and the score lies above both
//   cannot say   under 5 rows or 5 sequences
// Cost     a few operations for each head and metric.
// Source   docs/reference.md, "Roles".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/model_part.h"
#include "core/heads/measure/head_name.h"
#include "core/heads/measure/heads_of_scan.h"
#include "core/heads/measure/metric.h"
#include "core/heads/measure/row_sums.h"

namespace headscope {

enum class Verdict { kNone, kCannotSay, kBorderline, kStrong };
[[nodiscard]] std::string_view VerdictName(Verdict verdict);  // "strong"

struct Suggestion {
  HeadIndex head;
  std::string role;            // core/heads/flags/role.h
  std::string metric;          // that it rests on: "previous_token"
  std::string relation = {};   // of syntactic ones: "obj"
  std::string direction = {};  // "dependent-to-head"
  Verdict verdict = Verdict::kNone;
  double score = 0.0;
  std::optional<double> error;
  std::optional<double> chance;
  std::optional<double> control;
  std::string control_kind = {};
  std::optional<double> twin;
  std::int64_t cases = 0;      // rows or pairs
  std::int64_t sequences = 0;  // or sentences
  std::optional<double> p_corrected;
  std::optional<double> stability = {};  // core/heads/decide/stability.h, 0 to 1
  std::string why;
  std::string from = {};  // where it is no score's but another model's flag: that model
};

inline constexpr std::int64_t kFewestCases = 5;
inline constexpr double kLeastLift = 0.10;
inline constexpr double kAboveTwin = 0.05;
inline constexpr double kRoleLevel = 0.01;  // of all questions together

// What DecideShare says, without its words.
[[nodiscard]] Verdict VerdictOf(const GroupSums& groups,
                                const HeadMetric& metric,
                                std::size_t head,
                                std::int64_t tests,
                                std::optional<double> twin);

// How sure it is that a head has the role of `metric`; `tests`: how many such questions are asked.
[[nodiscard]] Suggestion DecideShare(const GroupSums& groups,
                                     const HeadMetric& metric,
                                     const HeadsOfScan& heads,
                                     std::size_t head,
                                     std::int64_t tests,
                                     std::optional<double> twin);

// How many questions a scan of these heads asks: heads x metrics that have a role and a row.
[[nodiscard]] std::int64_t QuestionsOf(const ScanSums& sums, const HeadsOfScan& heads);

// Strong and borderline ones of all metrics, by head. `twin`: [metric] or empty: the highest score of
// any head of the twins. `others`: questions that are asked of other parts of the model.
[[nodiscard]] std::vector<Suggestion> DecideShares(const ScanSums& sums,
                                                   const HeadsOfScan& heads,
                                                   const std::vector<double>& twin = {},
                                                   std::int64_t others = 0);

}  // namespace headscope
