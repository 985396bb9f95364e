// Weights of two models on the worker.
#include "core/compare/weight_changes.h"
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::kProbe;
using test::Only;

TEST_CASE("weights are compared with those of side B, layer by layer, and other shapes refused",
          "[worker][weights]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto events = harness.Wait(harness.Submit(WeightsJob{kProbe}));
  const auto compared = Only<WeightsCompared>(events);
  REQUIRE(compared.size() == 1);
  CHECK(compared[0].changes->parts.front().all.Change() == 0.0);  // the largest
  CHECK(Only<Progress>(events).size() == 3);                      // two layers, and the rest
  const auto refused = Only<Failed>(
      harness.Wait(harness.Submit(WeightsJob{test::SourceFolder() / "assets/models/gpt-h4"})));
  REQUIRE(refused.size() == 1);
  CHECK(refused[0].error.code == ErrorCode::kInput);
}

}  // namespace
}  // namespace headscope
