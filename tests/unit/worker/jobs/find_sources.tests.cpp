// The score of a cell, taken apart by the worker.
#include <cmath>

#include "core/worker/job.h"
#include "tests/support/catch.h"
#include "tests/unit/worker/worker_harness.h"

namespace headscope {
namespace {

using test::Harness;
using test::Ids;
using test::kBart;
using test::kProbe;
using test::Only;
using test::Says;

TEST_CASE("the sources of a cell add up to the score that the layer has there", "[worker][why]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  const auto layers = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5}))));
  REQUIRE(layers.size() == 6);
  for (const LayerReady& ready : layers) {
    const LayerAttention& layer = *ready.layer;
    const SourcesJob job{.cell = {{layer.part(), layer.layer()}, 1, 1, 1}};
    const auto found = Only<SourcesReady>(harness.Wait(harness.Submit(job)));
    REQUIRE(found.size() == 1);
    CHECK(std::abs(found[0].sources->score() - layer.Score(1, 1, 1)) <=
          1e-5 * (1.0 + std::abs(layer.Score(1, 1, 1))));
  }
}

TEST_CASE("sources are refused where there is nothing to take apart", "[worker][why]") {
  Harness harness;
  const SourcesJob job{.cell = {{ModelPart::kWhole, 1}, 0, 2, 1}};
  CHECK(Only<Failed>(harness.Wait(harness.Submit(job))).size() == 1);
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe})));
  REQUIRE(opened.size() == 1);
  const auto early = Only<Failed>(harness.Wait(harness.Submit(job)));
  REQUIRE(early.size() == 1);
  CHECK_THAT(early[0].error.message, Says("there is no text yet"));
  harness.Wait(harness.Submit(Ids({5, 6, 7, 5})));
  SourcesJob hidden = job;
  hidden.cell.key = 3;
  const auto refused = Only<Failed>(harness.Wait(harness.Submit(hidden)));
  REQUIRE(refused.size() == 1);
  CHECK_THAT(refused[0].error.message, Says("the mask hides it"));
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  SourcesJob late = job;
  late.opening = opened[0].opening();
  const auto gone = Only<Failed>(harness.Wait(harness.Submit(late)));
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].error.code == ErrorCode::kGone);
}

}  // namespace
}  // namespace headscope
