// Scans of chosen texts on the worker: they give way, go on, are read anew, and tell what is wrong.
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/support/probe_files.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::GapTable;
using test::Harness;
using test::Ids;
using test::kProbe;
using test::Only;
using test::Says;

ProbeScanJob OfFile(const std::filesystem::path& path, std::uint64_t asked = 1) {
  return {.probe = {ProbeKind::kFile, path},
          .asked = asked,
          .probes = test::SourceFolder() / "assets/probes",
          .token_maps = test::SourceFolder() / "assets/token_maps.txt",
          .kept = {}};
}

std::vector<std::shared_ptr<const HeadScanReport>> ReportsOf(const std::vector<Event>& events) {
  std::vector<std::shared_ptr<const HeadScanReport>> reports;
  for (const HeadsScanned& one : Only<HeadsScanned>(events)) {
    reports.push_back(one.report);
  }
  return reports;
}

}  // namespace

TEST_CASE("a text that is asked for during a scan of chosen texts is done first",
          "[worker][probe]") {
  Harness harness;
  const test::TempFolder folder;
  const auto path = folder.Write("gap.tsv", GapTable(300));
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId scan = harness.SubmitAndHold(OfFile(path), 1);
  const RequestId text = harness.Submit(Ids({5, 6, 7, 5}));
  harness.Release();
  CHECK(Only<LayerReady>(harness.Wait(text)).size() == 2);
  for (const Event& event : harness.events()) {
    CHECK_FALSE((event.request == scan && test::Ends(event)));
  }
  const auto events = harness.Wait(scan);
  CHECK(Only<Failed>(events).empty());
  const auto reports = ReportsOf(events);
  REQUIRE(reports.size() >= 2);
  CHECK_FALSE(reports.front()->sentences);
  CHECK(reports.front()->all_sentences == 300);
  CHECK(reports.back()->is_whole());
  CHECK(reports.back()->sentences.has_value());
}

TEST_CASE(
    "a scan of chosen texts that is cancelled goes on under the same number, and is read "
    "anew under another",
    "[worker][probe]") {
  Harness harness;
  const test::TempFolder folder;
  const auto path = folder.Write("gap.tsv", GapTable(300));
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const RequestId scan = harness.SubmitAndHold(OfFile(path), 1);
  harness.Cancel(scan);
  harness.Release();
  const auto failed = Only<Failed>(harness.Wait(scan));
  REQUIRE(failed.size() == 1);
  CHECK(failed[0].error.code == ErrorCode::kCancelled);
  folder.Write("gap.tsv", GapTable(10));
  CHECK(ReportsOf(harness.Wait(harness.Submit(OfFile(path)))).back()->all_sentences == 300);
  CHECK(ReportsOf(harness.Wait(harness.Submit(OfFile(path, 2)))).back()->all_sentences == 10);
}

TEST_CASE("a wrong file fails with its sentence and leaves the scan before", "[worker][probe]") {
  Harness harness;
  const test::TempFolder folder;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto good = folder.Write("gap.tsv", GapTable(10));
  harness.Wait(harness.Submit(OfFile(good)));
  const auto bad = folder.Write("bad.tsv", "ID\tText\n1\tone\n");
  const auto failed = Only<Failed>(harness.Wait(harness.Submit(OfFile(bad, 2))));
  REQUIRE(failed.size() == 1);
  CHECK_THAT(failed[0].error.message, Says("bad.tsv: line 1, column 1: expected GAP's header"));

  const ExamplesJob examples{.head = {1, 1}, .metric = "coreference", .on_chosen = true};
  const auto found = Only<ExamplesFound>(harness.Wait(harness.Submit(examples)));
  REQUIRE(found.size() == 1);
  CHECK(found[0].examples.failing.cases() == 10);
}

TEST_CASE("examples of chosen texts need a scan of them", "[worker][probe]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const ExamplesJob examples{.head = {1, 1}, .metric = "coreference", .on_chosen = true};
  const auto failed = Only<Failed>(harness.Wait(harness.Submit(examples)));
  REQUIRE(failed.size() == 1);
  CHECK_THAT(failed[0].error.message, Says("no scan yet"));
}

}  // namespace headscope
