// A series of models and their scans, as the worker would have told of them, of made-up scores.
#pragma once

#include <memory>
#include <utility>

#include "core/worker/events.h"
#include "tests/unit/state/heads/scan_stub.h"

namespace headscope::test {

// The checkpoints 0, 200 and 400 of /models/alpha, and alpha itself among models of other head
// counts.
inline ModelSeries StubSeries() {
  return {.checkpoints = {{"/models/alpha/step-0", 0},
                          {"/models/alpha/step-200", 200},
                          {"/models/alpha/step-400", 400},
                          {"/models/alpha", 0, true}},
          .head_counts = {{"/models/beta", 2, true}, {"/models/alpha", 4, true}},
          .family = {}};
}

// The same with a family over steps 0 and 200: beta-h2, and two runs of beta-h4.
inline ModelSeries StubFamily() {
  ModelSeries series = StubSeries();
  series.family = {{"/models/beta-h2/step-0", 0},
                   {"/models/beta-h2/step-200", 200},
                   {"/models/beta-h4/step-0", 0},
                   {"/models/beta-h4/step-200", 200},
                   {"/models/beta-h4-2/step-0", 0},
                   {"/models/beta-h4-2/step-200", 200}};
  return series;
}

// StubScan, where the best head of each metric has that score.
inline ModelScanned StubScanned(std::filesystem::path folder, double best) {
  HeadScanReport report = *StubScan();
  for (auto* probe : {&report.repeats, &report.sentences}) {
    for (NamedScores& scores : (*probe)->report.scores) {
      for (HeadScore& head : scores.heads) {
        *head.score *= best / 0.55;
      }
    }
  }
  ModelScanned scanned{.folder = std::move(folder)};
  scanned.fingerprint = "f00d" + scanned.folder.filename().string() + "0123456789";
  scanned.report = std::make_shared<const HeadScanReport>(std::move(report));
  return scanned;
}

}  // namespace headscope::test
