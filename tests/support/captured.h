// Runs a model to its end and keeps every layer; of an encoder-decoder the encoder's, or those of
// the part asked for.
#pragma once

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/attention/capture.h"
#include "tests/support/float_bounds.h"

namespace headscope::test {

using Layers = std::vector<std::shared_ptr<const LayerAttention>>;

inline Result<Layers> TryCapture(const std::shared_ptr<const Model>& model,
                                 Backend* backend,
                                 const ForwardInput& input,
                                 bool keep_states = false,
                                 std::optional<ModelPart> asked = {}) {
  Forward forward(model, backend);
  Layers layers;
  const ModelPart part = asked.value_or(PartsOf(model->description()).front());
  const CaptureOptions options{.part = part,
                               .first_layer = 0,
                               .last_layer = StackOf(model->description(), part).layers - 1,
                               .keep_states = keep_states};
  HEADSCOPE_TRY(CaptureAttention(&forward,
                                 input,
                                 options,
                                 [&](std::shared_ptr<const LayerAttention> layer) -> Status {
                                   layers.push_back(std::move(layer));
                                   return {};
                                 },
                                 {}));
  return layers;
}

inline Layers CaptureAll(const std::shared_ptr<const Model>& model,
                         Backend* backend,
                         const ForwardInput& input,
                         bool keep_states = false,
                         std::optional<ModelPart> asked = {}) {
  Result<Layers> layers = TryCapture(model, backend, input, keep_states, asked);
  if (!layers) {
    throw std::runtime_error(layers.error().message);
  }
  return std::move(*layers);
}

inline std::vector<float> MapOf(const LayerAttention& layer, std::int64_t head) {
  std::vector<float> map(static_cast<std::size_t>(layer.shape().queries * layer.shape().keys));
  layer.Map(head, map);
  return map;
}

// Every map of the layers, one head after the other.
inline std::vector<float> AllMaps(const Layers& layers) {
  std::vector<float> maps;
  for (const auto& layer : layers) {
    for (std::int64_t head = 0; head < layer->shape().heads; ++head) {
      const std::vector<float> map = MapOf(*layer, head);
      maps.insert(maps.end(), map.begin(), map.end());
    }
  }
  return maps;
}

}  // namespace headscope::test
