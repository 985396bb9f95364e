// The layer that turns the last states of a masked model into logits of the word at each place: a
// transform (product, activation, norm), then a product with the vocabulary. Most files have one.
//
// Errors   kInput if the file has none, kShape if a tensor of it has another size.
// Source   Devlin 2019; tensors as transformers' classes for masked words name them.
#pragma once

#include <optional>

#include "core/base/error.h"
#include "core/model/model.h"

namespace headscope {

struct MaskedOutput {
  struct Transform {
    LinearNeed product;  // [d, embedding_dim()]
    ActivationKind activation = ActivationKind::kGelu;
    NormNeed norm;
  };
  std::optional<Transform> transform = {};
  TensorNeed weight;                    // [vocabulary, embedding_dim()]
  std::optional<TensorNeed> bias = {};  // [vocabulary]
};

// True if the model reads texts in which words are masked: it sees both sides and has no decoder.
[[nodiscard]] bool IsMasked(const ModelDescription& model);

[[nodiscard]] Result<MaskedOutput> MaskedOutputOf(const Model& model);

}  // namespace headscope
