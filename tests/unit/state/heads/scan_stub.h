// A scan as the worker would have given it, of made-up scores.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/heads/scan/head_scan.h"

namespace headscope::test {

// Scores of 3 layers with 4 heads: head p has p / 20 of a metric, and one of the last is strong.
inline NamedScores StubScores(std::string id, std::size_t heads = 12) {
  NamedScores scores{.id = std::move(id), .heads = {}, .by_group = {}, .why_not = {}};
  for (std::size_t head = 0; head < heads; ++head) {
    HeadScore score;
    score.score = static_cast<double>(head) / 20.0;
    score.error = 0.01;
    score.chance = 0.1;
    score.rows = 100 + static_cast<std::int64_t>(head);
    score.sequences = 20;
    scores.heads.push_back(score);
  }
  return scores;
}

inline Suggestion StubSuggestion(HeadIndex head, std::string role, std::string metric) {
  Suggestion one;
  one.head = head;
  one.role = std::move(role);
  one.metric = std::move(metric);
  one.verdict = Verdict::kStrong;
  one.score = 0.5;
  one.why = "it does so";
  return one;
}

inline std::shared_ptr<const HeadScanReport> StubScan() {
  HeadScanReport report;
  report.done = 100;
  report.total = 100;
  report.is_measured = true;
  report.all_sentences = 40;  // all are scanned
  ScanAbout about;
  about.heads = {ModelPart::kWhole, 3, 4};
  about.sequences = 60;
  ProbeScores repeats;
  repeats.report.about = about;
  repeats.report.about.draw = "text";
  repeats.report.about.groups = {"10", "20", "40"};
  repeats.report.scores = {StubScores("previous_token"), StubScores("induction")};
  repeats.report.suggested = {StubSuggestion({2, 3}, "induction", "induction"),
                              StubSuggestion({0, 0}, "positional", "previous_token")};
  ProbeScores sentences;
  sentences.report.about = about;
  sentences.report.about.sequences = 40;
  sentences.report.scores = {StubScores("previous_token"),
                             StubScores("induction"),
                             StubScores("entropy"),
                             StubScores("dep:obj:dependent-to-head")};
  sentences.report.suggested = {StubSuggestion({1, 2}, "positional", "previous_token")};
  report.repeats = std::move(repeats);
  report.sentences = std::move(sentences);
  return std::make_shared<const HeadScanReport>(std::move(report));
}

}  // namespace headscope::test
