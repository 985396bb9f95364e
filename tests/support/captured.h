// Runs a model to its end and keeps every layer; of an encoder-decoder the encoder's, or those of
// the part asked for.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/attention/capture.h"

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

// The greatest difference of two arrays; infinite if the sizes differ or a value is not a number.
inline double LargestDifference(std::span<const float> left, std::span<const float> right) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  if (left.size() != right.size()) {
    return kNever;
  }
  double largest = 0.0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double difference =
        std::abs(static_cast<double>(left[i]) - static_cast<double>(right[i]));
    if (!(difference <= largest)) {
      largest = std::isnan(difference) ? kNever : difference;
    }
  }
  return largest;
}

}  // namespace headscope::test
