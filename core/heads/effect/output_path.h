// The path from what a head adds to the residual stream to the logits of the next token, with the
// scale of every norm on it held fixed: a norm inside the attention, those after later sublayers,
// the final norm, the output layer. Except for the scales, it is the same for every token.
//
// Shapes   rows [d]; before the output matrix [e], the width of the embeddings.
// Errors   kInput (no output layer: the message says why), kCancelled.
// Cost     Make reads the output matrix once.
// Source   direct logit attribution: Elhage 2021.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/model/model.h"
#include "core/model/read_weights.h"

namespace headscope {

class OutputPath {
 public:
  // The model outlives this.
  [[nodiscard]] static Result<OutputPath> Make(const Model& model, const std::stop_token& stop);

  [[nodiscard]] const OutputLayer& layer() const { return *layer_; }

  // For each id returns the vector whose dot product with what the layer's heads add is its logit
  // minus the mean over the vocabulary: [ids, d], without the scales of the norms on the path.
  [[nodiscard]] std::vector<float> Directions(std::int64_t layer,
                                              std::span<const std::int32_t> ids) const;
  // True if they are the same for every layer.
  [[nodiscard]] bool are_layers_alike() const;
  // Returns what the output matrix receives of what a head of the layer adds [d]: [e], without the
  // scales, which are positive.
  [[nodiscard]] std::vector<double> Through(std::int64_t layer, std::vector<double> row) const;

  // The layers whose heads' outputs pass through the norm: [first, last).
  struct Layers {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  [[nodiscard]] Layers LayersThrough(const NormNeed& norm) const;

 private:
  OutputPath() = default;
  [[nodiscard]] std::vector<const NormWeights*> NormsAfter(std::int64_t layer) const;
  // What all layers from this one on multiply the stream by.
  [[nodiscard]] double FactorAfter(std::int64_t layer) const;

  struct LayerNorms {
    std::vector<NormWeights> inside;  // one or none
    std::vector<NormWeights> after;   // after the attention, after the MLP
    double factor = 1.0;              // of the stream behind the layer
  };
  const Model* model_ = nullptr;
  const OutputLayer* layer_ = nullptr;
  std::vector<LayerNorms> norms_;
  std::vector<NormWeights> final_;  // one or none
  ProjectionColumns projection_;    // empty if there is none
  std::vector<double> mean_;        // mean row of the output matrix over the vocabulary
};

}  // namespace headscope
