// Made-up scores for the tests of figures: those of tests/unit/state/heads/scan_stub.h, of one model and
// of three in a row; and a head that was taken away.
#pragma once

#include <memory>

#include "core/figure/shown_scores.h"
#include "core/heads/scan/ablated_heads.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {

inline ShownScores StubShown() {
  ShownScores shown;
  const auto scan = StubScan();
  shown.models = {{.name = "m-h2", .label = "2", .report = scan},
                  {.name = "m-h4", .label = "4", .report = scan, .is_open = true},
                  {.name = "m-h8", .label = "8", .report = nullptr}};
  shown.across = "heads in a layer";
  shown.metric = "previous_token";
  shown.second = "induction";
  shown.roles = scan;
  shown.selected = HeadIndex{1, 1};
  return shown;
}

inline std::shared_ptr<const ShownScores> ShownStubScores() {
  return std::make_shared<const ShownScores>(StubShown());
}

// Its loss rises by 0.5 where it gives nothing; others of its layer: by 0.1.
inline std::shared_ptr<const AblationReport> AblatedStub() {
  AblationReport report;
  report.own.head = {1, 2};
  report.own.loss = 4.0;
  report.own.tokens = 100;
  report.own.texts = 10;
  report.own.changes = {{{.change = 0.5, .error = 0.05}, {.change = 0.25, .error = 0.05}, {}}};
  report.own.changes[2].why_not = "it is not";
  for (const std::int64_t head : {0, 1, 3}) {
    AblatedHead other;
    other.head = {1, head};
    other.changes = {{{.change = 0.1}, {.change = 0.05}, {.change = 0.0}}};
    report.controls.push_back(other);
  }
  report.done = report.total = 4;
  report.probe = "repeats";
  return std::make_shared<const AblationReport>(std::move(report));
}

}  // namespace headscope::test
