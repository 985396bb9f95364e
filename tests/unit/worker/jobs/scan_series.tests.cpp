// Models scanned one after another beside what is open.
#include "core/heads/scan/head_scan.h"
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kProbe;
using test::Only;
using test::Says;

const std::filesystem::path kCopying = test::SourceFolder() / "assets/models/copy-h1";

// What was told of each model, the last word of each.
std::vector<ModelScanned> LastOfEach(const std::vector<Event>& events) {
  std::vector<ModelScanned> last;
  for (ModelScanned& one : Only<ModelScanned>(events)) {
    std::erase_if(last, [&](const ModelScanned& other) { return other.folder == one.folder; });
    last.push_back(std::move(one));
  }
  return last;
}

SeriesJob ASeries(std::vector<std::filesystem::path> models) {
  return {.models = std::move(models),
          .settings = {.repeats = 2, .sentences = 6},
          .probes = test::SourceFolder() / "assets/probes",
          .kept = {},
          .token_maps = {}};
}

}  // namespace

TEST_CASE("the models of a series are scanned in order, and the second time costs nothing",
          "[worker][series]") {
  const test::TempFolder folder;
  Harness harness;
  SeriesJob series = ASeries({kCopying / "step-0", kCopying});
  series.kept = folder.path();
  const auto first = harness.Wait(harness.Submit(series));  // no model is open
  CHECK(Only<Failed>(first).empty());
  const auto scanned = LastOfEach(first);
  REQUIRE(scanned.size() == 2);
  CHECK(scanned[0].folder == kCopying / "step-0");
  CHECK(scanned[1].folder == kCopying);
  CHECK(scanned[0].fingerprint != scanned[1].fingerprint);
  for (const ModelScanned& one : scanned) {
    REQUIRE(one.report != nullptr);
    CHECK(one.report->is_whole());
    CHECK_FALSE(one.report->is_kept);
    CHECK_FALSE(one.report->is_measured);
    CHECK(one.report->settings == series.settings);
    // It reads no texts, so that its loss is that of repeats; one head overlaps with none.
    REQUIRE(one.numbers.loss);
    CHECK(one.numbers.is_of_repeats);
    CHECK(one.numbers.loss->error);
    CHECK_FALSE(one.numbers.overlap);
  }
  // Before it was trained it guesses among 64 symbols; then it copies.
  CHECK(scanned[0].numbers.loss->mean > 3.5);
  CHECK(scanned[1].numbers.loss->mean < 0.5);
  const auto told = Only<SeriesProgress>(first);
  REQUIRE(told.size() >= 2);
  CHECK(told.front().total == 2);
  CHECK(told.front().done == 0);
  CHECK(told.back().done == 1);
  CHECK(told.back().model == kCopying);
  for (const ModelScanned& one : LastOfEach(harness.Wait(harness.Submit(series)))) {
    CHECK(one.report->is_kept);
  }
}

TEST_CASE("a model that cannot be scanned says why, and the others follow", "[worker][series]") {
  Harness harness;
  const auto scanned = LastOfEach(
      harness.Wait(harness.Submit(ASeries({kCopying / "step-77", kCopying / "step-0"}))));
  REQUIRE(scanned.size() == 2);
  CHECK(scanned[0].report == nullptr);
  CHECK_THAT(scanned[0].why_not, Says("step-77"));
  CHECK(scanned[1].report != nullptr);
}

TEST_CASE("measures come with a series where they are asked for", "[worker][series]") {
  Harness harness;
  SeriesJob series = ASeries({kCopying / "step-0"});
  series.with_measures = true;
  const auto scanned = LastOfEach(harness.Wait(harness.Submit(series)));
  REQUIRE(scanned.size() == 1);
  CHECK(scanned[0].report->is_measured);
}

TEST_CASE("a text goes before a series, another model does not end it, and what was open stays",
          "[worker][series]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId series = harness.SubmitAndHold(ASeries({kCopying / "step-0", kCopying}), 1);
  const RequestId text = harness.Submit(Ids({5, 6, 7, 5}));
  harness.Release();
  CHECK(Only<LayerReady>(harness.Wait(text)).size() == 2);  // of the probe
  CHECK(Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe}))).size() == 1);
  const auto events = harness.Wait(series);
  CHECK(Only<Finished>(events).size() == 1);
  CHECK(LastOfEach(events).size() == 2);
}

TEST_CASE("a series that is stopped ends as cancelled", "[worker][series]") {
  Harness harness;
  const RequestId series = harness.SubmitAndHold(ASeries({kCopying / "step-0", kCopying}), 1);
  harness.Cancel(series);
  harness.Release();
  const auto events = harness.Wait(series);
  REQUIRE(Only<Failed>(events).size() == 1);
  CHECK(Only<Failed>(events)[0].error.code == ErrorCode::kCancelled);
  CHECK(Only<ModelScanned>(events).empty());
  CHECK(LastOfEach(harness.Wait(harness.Submit(ASeries({kCopying})))).size() == 1);
  CHECK(Only<Finished>(harness.Wait(harness.Submit(SeriesJob{}))).size() == 1);  // lets go
}

TEST_CASE("the worker finds what a bundled model belongs with", "[worker][series]") {
  Harness harness;
  const auto found =
      Only<SeriesFound>(harness.Wait(harness.Submit(FindSeriesJob{kCopying / "step-300"})));
  REQUIRE(found.size() == 1);
  const ModelSeries& series = found[0].series;
  REQUIRE(series.checkpoints.size() == 8);
  CHECK(series.checkpoints.front().folder == kCopying / "step-0");
  CHECK(series.checkpoints.back().folder == kCopying);
  REQUIRE(series.head_counts.size() == 5);
  CHECK(series.head_counts.back().value == 16);
}

}  // namespace headscope
