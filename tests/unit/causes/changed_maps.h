// Maps of runs that are changed on their way, for comparison.
#pragma once

#include <memory>
#include <vector>

#include "core/attention/capture.h"
#include "core/causes/heads_off.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

namespace headscope::test {

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

inline LayerSink Into(Layers* layers) {
  return [layers](std::shared_ptr<const LayerAttention> layer) -> Status {
    layers->push_back(std::move(layer));
    return {};
  };
}

// The layers that are others without what is off, from the embeddings on and with nothing kept.
inline Layers FromTheStart(Forward* forward,
                           const ForwardInput& input,
                           LayerChanges* changes,
                           const HeadsOff& off) {
  Layers layers;
  CaptureOptions options{.last_layer = 1000};
  options.only = [&off](LayerId layer) { return IsChangedBy(layer, off); };
  const ModelPart first = PartsOf(forward->model().description()).front();
  REQUIRE(CaptureChanged(forward, input, {.stack = first}, changes, options, Into(&layers), {}));
  return layers;
}

inline std::vector<float> MapOf(const LayerAttention& layer, std::int64_t head) {
  std::vector<float> map(static_cast<std::size_t>(layer.shape().queries * layer.shape().keys));
  layer.Map(head, map);
  return map;
}

inline void CheckSameMaps(const Layers& made, const Layers& expected) {
  REQUIRE(made.size() == expected.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    CHECK(made[i]->part() == expected[i]->part());
    CHECK(made[i]->layer() == expected[i]->layer());
    for (std::int64_t head = 0; head < made[i]->shape().heads; ++head) {
      const std::vector<float> a = MapOf(*made[i], head);
      const std::vector<float> b = MapOf(*expected[i], head);
      REQUIRE(a.size() == b.size());
      for (std::size_t cell = 0; cell < a.size(); ++cell) {
        CHECK(a[cell] == Near(b[cell], 1e-5));
      }
    }
  }
}

}  // namespace headscope::test
