// Scores on chosen texts as the worker would have given them, made up.
#pragma once

#include <memory>
#include <utility>

#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {

inline const ChosenProbe kGapFile{ProbeKind::kFile, "/data/gap.tsv"};

// `done` of 100 texts; without a score where it is 0.
inline std::shared_ptr<const HeadScanReport> StubOwnScan(const ChosenProbe& probe = kGapFile,
                                                         std::int64_t done = 100) {
  HeadScanReport report;
  report.probe = probe;
  report.why_no_repeats = "these are texts of another probe";
  report.all_sentences = 100;
  report.sequences_done = done;
  report.done = done * 20;
  report.total = 2000;
  report.seconds = 2.0;
  report.is_measured = done == 100;
  report.notes = {"/data/gap.tsv: line 7, column 3: expected TRUE or FALSE, found \"maybe\""};
  if (probe.kind == ProbeKind::kRetrieval) {
    report.task = TaskResult{.right = 7, .texts = 10};
    report.notes.clear();
  }
  if (done > 0) {
    report.sentences.emplace();
    ScoreReport& scores = report.sentences->report;
    scores.about.heads = {ModelPart::kWhole, 3, 4};
    scores.about.sequences = 100;
    scores.about.probe = probe.file.filename().string();
    scores.scores = {StubScores("previous_token"),
                     StubScores(probe.kind == ProbeKind::kRetrieval ? "retrieval" : "coreference")};
    for (HeadScore& head : scores.scores.back().heads) {
      head.control = 0.3;
    }
    if (done == 100) {
      scores.suggested = {StubSuggestion({2, 1}, "coreference", "coreference")};
    }
  }
  return std::make_shared<const HeadScanReport>(std::move(report));
}

}  // namespace headscope::test
