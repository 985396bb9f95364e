// Evidence for roles over a file of pairs, on the worker.
#include <fstream>

#include "core/worker/found_evidence.h"
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/support/folders.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Only;

}  // namespace

TEST_CASE("the bundled pairs are read by the bundled language model, each name one token",
          "[worker][evidence]") {
  Harness harness;
  const std::filesystem::path assets = test::SourceFolder() / "assets";
  harness.Wait(harness.Submit(OpenModelRequest{assets / "models" / "english"}));
  const auto found = Only<EvidenceFound>(harness.Wait(harness.Submit(EvidenceJob{
      .pairs = assets / "probes" / "names.tsv", .token_maps = assets / "token_maps.txt"})));
  REQUIRE(found.size() == 1);
  const FoundEvidence& made = *found[0].found;
  CHECK(made.input == "names.tsv");
  CHECK(made.of == 48);
  CHECK(made.pairs >= 40);
  REQUIRE(made.evidence.Find(EvidenceKind::kMovesNames, {0, 0}) != nullptr);
  CHECK(made.evidence.Find(EvidenceKind::kMovesNames, {0, 0})->cases == made.pairs);
  // What has no number says why.
  for (const EvidenceKind kind : {EvidenceKind::kSaysSuccessor, EvidenceKind::kCarriesTask}) {
    CHECK((made.evidence.Find(kind, {0, 0}) != nullptr) != made.evidence.why_not.contains(kind));
  }
}

TEST_CASE("a file of which the model reads no pair says so", "[worker][evidence]") {
  const test::TempFolder folder;
  const std::filesystem::path path = folder.path() / "odd.tsv";
  std::ofstream(path) << "a b\ta b c\t x\t y\n";
  Harness harness;
  harness.Wait(
      harness.Submit(OpenModelRequest{test::SourceFolder() / "assets" / "models" / "english"}));
  const auto events = harness.Wait(harness.Submit(EvidenceJob{.pairs = path}));
  const auto failed = Only<Failed>(events);
  REQUIRE(failed.size() == 1);
  CHECK_THAT(failed[0].error.message, test::Says("odd.tsv: the model reads 0 of its 1 pairs"));
}

}  // namespace headscope
