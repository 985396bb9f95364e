// Scans on the worker: they give way to what is asked for meanwhile, and go on.
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kProbe;
using test::Only;
using test::Says;

HeadScanJob AScan() {
  return {.settings = {.repeats = 10, .sentences = 20},
          .probes = test::SourceFolder() / "assets/probes",
          .kept = {}};
}

}  // namespace

TEST_CASE("a text that is asked for during a scan is done first, and the scan ends whole",
          "[worker][scan]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId scan = harness.SubmitAndHold(AScan(), 1);
  const RequestId text = harness.Submit(Ids({5, 6, 7, 5}));
  harness.Release();
  const auto layers = Only<LayerReady>(harness.Wait(text));
  CHECK(layers.size() == 2);
  for (const Event& event : harness.events()) {
    CHECK_FALSE((event.request == scan && test::Ends(event)));
  }
  const auto events = harness.Wait(scan);
  CHECK(Only<Failed>(events).empty());
  const auto reports = Only<HeadsScanned>(events);
  REQUIRE(reports.size() >= 2);
  CHECK_FALSE(reports.front().report->is_whole());
  CHECK(reports.back().report->is_whole());
  for (std::size_t i = 1; i < reports.size(); ++i) {
    CHECK(reports[i].report->done >= reports[i - 1].report->done);
  }
}

TEST_CASE("a scan that is cancelled ends as cancelled, and goes on when asked for again",
          "[worker][scan]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId scan = harness.SubmitAndHold(AScan(), 1);
  harness.Cancel(scan);
  harness.Release();
  const auto events = harness.Wait(scan);
  CHECK(Only<Finished>(events).empty());
  REQUIRE(Only<Failed>(events).size() == 1);
  CHECK(Only<Failed>(events)[0].error.code == ErrorCode::kCancelled);
  REQUIRE_FALSE(Only<HeadsScanned>(events).empty());
  const auto before = Only<HeadsScanned>(events).back().report->done;
  CHECK(before > 0);
  const auto reports = Only<HeadsScanned>(harness.Wait(harness.Submit(AScan())));
  REQUIRE(!reports.empty());
  CHECK(reports.front().report->done > before);
  CHECK(reports.back().report->is_whole());
}

TEST_CASE("another model ends a scan of the one before", "[worker][scan]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId scan = harness.SubmitAndHold(AScan(), 1);
  const RequestId opened = harness.Submit(OpenModelRequest{kProbe});
  harness.Release();
  CHECK(Only<ModelOpened>(harness.Wait(opened)).size() == 1);
  const auto failed = Only<Failed>(harness.Wait(scan));
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].error.code == ErrorCode::kCancelled);
}

TEST_CASE("scores of the open text are of its rows alone", "[worker][scan]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto told = Only<Tokenized>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5}))));
  REQUIRE(told.size() == 1);
  const TextScoresJob job{.text = told[0].encoding, .opening = {}};
  const auto scored = Only<TextScored>(harness.Wait(harness.Submit(job)));
  REQUIRE(scored.size() == 1);
  for (const NamedScores& metric : scored[0].scores->scores) {
    if (metric.id == "previous_token") {
      CHECK(metric.heads[0].rows == 3);
    }
    if (metric.id == "duplicate_token") {
      CHECK(metric.heads[0].rows == 1);
    }
  }
}

}  // namespace headscope
