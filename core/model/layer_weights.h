// One layer's weights, prepared on a backend when they are first needed and kept.
//
// Errors   what Backend::Prepare returns (a tensor with NaN or infinity by its name, no memory,
// cancelled);
//          nothing half prepared stays.
// Threads  the backend's thread.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/model/model.h"

namespace headscope {

class LayerWeights {
 public:
  LayerWeights(const Model& model, std::int64_t layer, Backend* backend)
      : model_(&model), layer_(layer), backend_(backend) {}

  [[nodiscard]] Result<const NormWeights*> AttentionNorm();
  [[nodiscard]] Result<const Linear*> QueryKeyValue(std::stop_token stop);
  [[nodiscard]] Result<const Linear*> Output(std::stop_token stop);
  [[nodiscard]] Result<const NormWeights*> MlpNorm();
  [[nodiscard]] Result<const Linear*> MlpUp(std::stop_token stop);
  [[nodiscard]] Result<const Linear*> MlpGate(std::stop_token stop);  // only where there is one
  [[nodiscard]] Result<const Linear*> MlpDown(std::stop_token stop);

 private:
  using Slot = std::unique_ptr<Linear>;
  [[nodiscard]] const LayerDescription& description() const;
  [[nodiscard]] Result<const Linear*> Get(const LinearNeed& need, Slot* slot, std::stop_token stop);
  [[nodiscard]] Result<const NormWeights*> Get(const NormNeed& need,
                                               std::optional<NormWeights>* slot);

  const Model* model_;
  std::int64_t layer_;
  Backend* backend_;
  std::optional<NormWeights> attention_norm_;
  std::optional<NormWeights> mlp_norm_;
  Slot query_key_value_;
  Slot output_;
  Slot mlp_up_;
  Slot mlp_gate_;
  Slot mlp_down_;
};

}  // namespace headscope
