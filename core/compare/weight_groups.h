// The weights of a model that are no single head's, in groups that are compared as one: of a layer its MLP,
// its norms and what its heads share, of the model its embeddings, last norms and output layer.
//
// Errors   none.
// Threads  plain values; they point into the description.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/model/block_description.h"

namespace headscope {

struct WeightGroup {
  std::string name;
  std::vector<const LinearNeed*> products = {};
  std::vector<const NormNeed*> norms = {};
  std::vector<const TensorNeed*> tensors = {};
  const LinearNeed* bias_of = nullptr;  // of this product only the biases

  void Add(const LinearNeed& product) {
    if (!product.matrices.empty()) {
      products.push_back(&product);
    }
  }
  void Add(const NormNeed& norm) {
    if (!norm.weight.name.empty()) {  // else it has none of its own
      norms.push_back(&norm);
    }
  }
  void Add(const TensorNeed& tensor) {
    if (!tensor.name.empty()) {
      tensors.push_back(&tensor);
    }
  }
  void Add(const NormPlaces& places) {
    Add(places.before);
    Add(places.inside);
    Add(places.after);
  }
  void Add(const MlpNeeds& mlp) {
    Add(mlp.up);
    Add(mlp.gate);
    Add(mlp.down);
  }
  template <typename Need>
  void Add(const std::optional<Need>& need) {
    if (need) {
      Add(*need);
    }
  }
  [[nodiscard]] bool IsEmpty() const {
    return products.empty() && norms.empty() && tensors.empty() && bias_of == nullptr;
  }
};

// The same groups for every layer of a part; some may be empty.
[[nodiscard]] std::vector<WeightGroup> GroupsOfLayer(const ModelDescription& model, LayerId id);
// The model's beside its layers'.
[[nodiscard]] std::vector<WeightGroup> GroupsOfModel(const ModelDescription& model);

}  // namespace headscope
