// Which half of a scan speaks for a metric, and so for the roles that rest on it: metrics whose
// control is other sequences, and effects on logits, are of repeats; all others of sentences, where
// there are any. The window and the files of a scan hold to it.
//
// Threads  any; what is returned points into the report.
// Source   docs/reference.md, "Scans as files".
#pragma once

#include <string_view>
#include <vector>

#include "core/heads/scan/head_scan.h"

namespace headscope {

// Null: it has no scores, or those that speak for it are still to come.
[[nodiscard]] const ProbeScores* ProbeOf(const HeadScanReport& report, std::string_view metric);

// The roles that the scores speak for, of every part, each from the probe of its metric; strong ones
// first.
[[nodiscard]] std::vector<const Suggestion*> AllSuggestions(const HeadScanReport& report);

}  // namespace headscope
