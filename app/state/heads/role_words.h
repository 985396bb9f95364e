// What the window says of a head's roles: why it has none, and what of a role shows on the open text.
//
// Cost     a look at the scores of one head.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/flags/flags.h"
#include "core/heads/scan/head_scan.h"
#include "core/heads/scan/score_report.h"

namespace headscope {

// A head's score of a metric on a text; null: it has no such metric.
[[nodiscard]] const HeadScore* ScoreOnText(const ScoreReport& text,
                                           std::string_view id,
                                           std::size_t place);

// What a head is right about beside chance and control, and a scan that is done cannot decide: of a
// relation it has too few pairs, or not all sentences are scanned; of another role too few rows. "det:
// determiner looks at its noun 85 % of 13 pairs".
[[nodiscard]] std::vector<std::string> UndecidedRoles(const HeadScanReport& report, HeadIndex head);
// The same in a sentence, with what it takes; empty: there are none.
[[nodiscard]] std::string UndecidedWords(const HeadScanReport& report, HeadIndex head);

// Why a scan that is done suggests no role for a head: what was suggested is rejected, what is not
// decided, or nothing is clear of chance and control.
[[nodiscard]] std::string NoRoleWords(const HeadScanReport& report,
                                      const FlagSheet& flags,
                                      HeadIndex head);

// "On this text: 0.91 over 11 rows.", "silent here: no row asks for it, so it rests on the first
// token (90 %)"; empty: what the role rests on is not measured on one text.
[[nodiscard]] std::string RoleOnTextWords(const Suggestion& one,
                                          const ScoreReport& text,
                                          std::size_t place);

}  // namespace headscope
