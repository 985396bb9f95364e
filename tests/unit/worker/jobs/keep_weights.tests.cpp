// The largest weights of heads, found on the worker.
#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::kProbe;
using test::Only;

TEST_CASE("what is kept of heads is of the text that is open", "[worker][kept]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  AttendRequest attend;
  attend.input.text = "the old captain met the old captain";
  const auto layers = Only<LayerReady>(harness.Wait(harness.Submit(attend)));
  REQUIRE_FALSE(layers.empty());
  const auto& layer = layers.back().layer;
  const KeepJob job{.maps = {{layer, 1}, {layer, 0}}, .rule = {.mass = 0.8}};
  const auto kept = Only<WeightsKept>(harness.Wait(harness.Submit(job)));
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].kept->weights == KeepWeights(job.maps, job.rule, {})->weights);
  CHECK_FALSE(kept[0].kept->weights.empty());
}

}  // namespace
}  // namespace headscope
