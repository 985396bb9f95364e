// How far float32 may take a model's maps and states on one input, layer by layer: what tests of
// whole models allow.
//
// Cost     four runs of the reference.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "tests/support/captured.h"
#include "tests/support/float_bounds.h"
#include "tests/support/rounding_backend.h"

namespace headscope::test {

struct LayerError {
  double maps = 0.0;     // of any weight
  double outputs = 0.0;  // of any number of the attention's output
};

// The most that the terms of any score of the layer add up to: the longest query times the longest
// key.
inline double ScoreSize(const LayerAttention& layer) {
  const AttentionShape& shape = layer.shape();
  const auto longest = [&shape](const std::vector<float>& heads) {
    double most = 0.0;
    const auto width = static_cast<std::size_t>(shape.head_dim);
    for (std::size_t begin = 0; begin < heads.size(); begin += width) {
      double square = 0.0;
      for (std::size_t i = begin; i < begin + width; ++i) {
        square += static_cast<double>(heads[i]) * static_cast<double>(heads[i]);
      }
      most = std::max(most, square);
    }
    return std::sqrt(most);
  };
  return std::abs(layer.rule().scale) * longest(layer.content().queries) *
         longest(layer.content().keys);
}

// The error of any score: as a backend makes it (heads of up to 16 columns have theirs in double,
// fused_attention.cpp), against the one that is made from queries and keys as they are kept,
// rounded to float32.
inline double ScoreBound(const LayerAttention& layer) {
  constexpr std::int64_t kNarrow = 16;
  const std::int64_t width = layer.shape().head_dim;
  return SumBound(ScoreSize(layer), width <= kNarrow ? 1 : width);
}

// Three times the farthest that three runs rounded by chance lie from the exact one. In bfloat16
// the factors of products with weights are rounded to eight bits too.
inline std::vector<LayerError> FloatErrors(const std::shared_ptr<const Model>& model,
                                           const ForwardInput& input,
                                           std::optional<ModelPart> part = {},
                                           Precision precision = Precision::kF32) {
  constexpr std::uint64_t kRuns = 3;
  constexpr double kSafety = 3.0;
  const Layers exact = CaptureAll(model, MakeReferenceBackend().get(), input, true, part);
  std::vector<LayerError> errors(exact.size());
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    RoundingBackend backend({.seed = seed, .precision = precision});
    const Layers rounded = CaptureAll(model, &backend, input, true, part);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const double maps = LargestDifference(AllMaps({rounded[i]}), AllMaps({exact[i]}));
      const double outputs = LargestDifference(rounded[i]->content().attention_output,
                                               exact[i]->content().attention_output);
      errors[i].maps = std::max(errors[i].maps, kSafety * maps + kUnit);
      errors[i].outputs = std::max(errors[i].outputs, kSafety * outputs + kUnit);
    }
  }
  return errors;
}

}  // namespace headscope::test
