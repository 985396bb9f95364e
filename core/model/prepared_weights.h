// A model's weights in the backend's form, prepared when first needed and kept.
//
// Errors   as Backend::Prepare (a tensor with NaN or infinity by its name, no memory, cancelled);
//          nothing half prepared is kept.
// Threads  the backend's thread.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <stop_token>
#include <unordered_map>
#include <vector>

#include "core/base/error.h"
#include "core/compute/backend.h"
#include "core/model/model.h"

namespace headscope {

class PreparedWeights {
 public:
  // Both must outlive this.
  PreparedWeights(const Model& model, Backend* backend) : model_(model), backend_(*backend) {}

  // `need` must be part of the model's own description: its address is the key.
  [[nodiscard]] Result<const Linear*> Get(const LinearNeed& need, std::stop_token stop);
  [[nodiscard]] Result<const NormWeights*> Get(const NormNeed& need);
  [[nodiscard]] Result<Xielu> Get(const XieluNeed& need);
  [[nodiscard]] Result<std::shared_ptr<const RelativeBias>> Get(const RelativeBiasNeed& need);
  // Returns all elements of a small tensor, in order.
  [[nodiscard]] Result<std::shared_ptr<const std::vector<float>>> Get(const TensorNeed& need);
  // A copy has an address of its own, which another may have later.
  Result<const Linear*> Get(LinearNeed&& need, std::stop_token stop) = delete;
  Result<const NormWeights*> Get(NormNeed&& need) = delete;
  Result<std::shared_ptr<const std::vector<float>>> Get(TensorNeed&& need) = delete;
  // Returns rows side by side, of which each part is a sum; a need's one row counts.
  [[nodiscard]] Result<std::vector<float>> Read(
      const std::vector<std::vector<TensorNeed>>& parts) const;
  // Returns the layer's keys and queries of the stack's vectors of positions.
  [[nodiscard]] Result<std::shared_ptr<const PositionVectors>> Get(const PositionVectorsNeed& need,
                                                                   const LayerDescription& layer,
                                                                   std::int64_t heads,
                                                                   const std::stop_token& stop);
  // Returns the whole tensor in the file.
  [[nodiscard]] const TensorView& Find(const TensorNeed& need) const;

 private:
  const Model& model_;
  Backend& backend_;
  std::deque<std::vector<std::byte>> picked_;  // what prepared weights may still read
  std::unordered_map<const LinearNeed*, std::unique_ptr<Linear>> linears_;
  std::unordered_map<const RelativeBiasNeed*, std::shared_ptr<const RelativeBias>> biases_;
  std::unordered_map<const LayerDescription*, std::shared_ptr<const PositionVectors>> positions_;
  std::unordered_map<const NormNeed*, std::unique_ptr<NormWeights>> norms_;
  std::unordered_map<const TensorNeed*, std::shared_ptr<const std::vector<float>>> vectors_;
};

}  // namespace headscope
