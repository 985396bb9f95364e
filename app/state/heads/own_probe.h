// Scores on texts that a person chose, beside those on the bundled probe: which of the two is shown,
// which of them roles come from, and how both are put into words. They are never mixed.
//
// Threads  UI thread; reports are shared and immutable.
// Source   docs/reference.md, "Probes of your own".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/state/heads/scores.h"

namespace headscope {

struct AppState;

// The scores of the model on screen over chosen texts; null: none are chosen, or none are there yet,
// or they are hidden while a person labels blind.
[[nodiscard]] std::shared_ptr<const HeadScanReport> OwnScanInView(const AppState& state);
// What the Heads screen shows: these, else those on the bundled probe; null: neither.
[[nodiscard]] std::shared_ptr<const HeadScanReport> ShownScan(const AppState& state);
// What roles and suggestions come from: the bundled probe unless a person said otherwise, and then
// once the other scan is whole; null: there is no scan.
[[nodiscard]] const HeadScanReport* RolesInView(const AppState& state);

// "gap.tsv: 449 texts; 5 notes", "hidden sentences: 10 texts; the model is right in 7 of 10"
[[nodiscard]] std::string OwnProbeWords(const HeadScanReport& report);
// Why texts were left out, and whether the model can do what it is asked; a sentence each.
[[nodiscard]] std::vector<std::string> OwnProbeNotes(const HeadScanReport& report);

// Whether a scan of chosen texts was stopped before its end and may go on.
[[nodiscard]] bool CanGoOn(const AppState& state);
// "scanning gap.tsv, 40 %, 12 s left"
[[nodiscard]] std::string ProbeScanWords(const AppState& state);
// ", 12 s left"; empty: not known yet
[[nodiscard]] std::string ProbeTimeLeft(const AppState& state);

// The score that a person looks for first in such texts; empty: any.
[[nodiscard]] std::string FirstMetricOf(const HeadScanReport& report);

}  // namespace headscope
