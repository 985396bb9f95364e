// A head's map, weighed by the worker.
#include "core/worker/job.h"
#include "tests/support/captured.h"
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

TEST_CASE("a head of each part is weighed by its own values", "[worker][weighed]") {
  Harness harness;
  harness.Wait(harness.Submit(OpenModelRequest{kBart}));
  const auto layers = Only<LayerReady>(harness.Wait(harness.Submit(Ids({5, 6, 7, 5}))));
  REQUIRE(layers.size() == 6);
  for (const LayerReady& ready : layers) {
    const LayerAttention& layer = *ready.layer;
    for (const WeighedBy by : {WeighedBy::kValues, WeighedBy::kOutputs}) {
      const WeighJob job{.head = {layer.layer(), 1, layer.part()}, .by = by};
      const auto made = Only<HeadWeighed>(harness.Wait(harness.Submit(job)));
      REQUIRE(made.size() == 1);
      CHECK(made[0].head->of == job.head);
      const auto plain = test::MapOf(layer, 1);
      const auto map = test::MapOf(*made[0].head->layer, 0);
      REQUIRE(map.size() == plain.size());
      // The longest key keeps its weights, all others lose some.
      for (std::size_t cell = 0; cell < map.size(); ++cell) {
        CHECK(map[cell] <= plain[cell] + 1e-6F);
      }
      const auto keys = static_cast<std::size_t>(layer.shape().keys);
      const auto longest = static_cast<std::size_t>(made[0].head->longest_key);
      CHECK(map[(map.size() / keys - 1) * keys + longest] ==
            Approx(plain[(map.size() / keys - 1) * keys + longest]).margin(1e-6));
    }
  }
}

TEST_CASE("a head is not weighed where there is no text or another model", "[worker][weighed]") {
  Harness harness;
  const auto opened = Only<ModelOpened>(harness.Wait(harness.Submit(OpenModelRequest{kProbe})));
  REQUIRE(opened.size() == 1);
  const WeighJob job{.head = {1, 0}, .opening = opened[0].opening()};
  const auto early = Only<Failed>(harness.Wait(harness.Submit(job)));
  REQUIRE(early.size() == 1);
  CHECK_THAT(early[0].error.message, Says("there is no text yet"));
  harness.Wait(harness.Submit(OpenModelRequest{kProbe}));
  const auto gone = Only<Failed>(harness.Wait(harness.Submit(job)));
  REQUIRE(gone.size() == 1);
  CHECK(gone[0].error.code == ErrorCode::kGone);
}

}  // namespace
}  // namespace headscope
