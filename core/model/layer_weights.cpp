#include "core/model/layer_weights.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/compute/input_checks.h"

namespace headscope {
namespace {

// Model::Open has checked that every tensor of the description is there, with its shape.
const TensorView& Tensor(const Model& model, const TensorNeed& need) {
  const TensorView* tensor = model.weights().Find(need.name);
  HEADSCOPE_CHECK(tensor != nullptr, "an open model holds every tensor it needs");
  return *tensor;
}

Result<std::vector<float>> ReadVector(const TensorView& tensor) {
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  HEADSCOPE_TRY(CheckFinite(tensor, 0, values));
  return values;
}

}  // namespace

const LayerDescription& LayerWeights::description() const {
  return model_->description().layer[static_cast<std::size_t>(layer_)];
}

Result<const Linear*> LayerWeights::Get(const LinearNeed& need, Slot* slot, std::stop_token stop) {
  if (*slot == nullptr) {
    LinearSource source{.layout = need.layout, .in = need.in, .parts = {}};
    for (const LinearNeed::Part& part : need.parts) {
      source.parts.push_back(
          {Tensor(*model_, part.weight),
           part.bias ? std::optional(Tensor(*model_, *part.bias)) : std::nullopt});
    }
    Result<std::unique_ptr<Linear>> prepared = backend_->Prepare(source, std::move(stop));
    if (!prepared) {
      return PassOn(std::move(prepared.error()));
    }
    *slot = std::move(*prepared);
  }
  return slot->get();
}

Result<const NormWeights*> LayerWeights::Get(const NormNeed& need,
                                             std::optional<NormWeights>* slot) {
  if (!slot->has_value()) {
    Result<std::vector<float>> weight = ReadVector(Tensor(*model_, need.weight));
    if (!weight) {
      return PassOn(std::move(weight.error()));
    }
    NormWeights norm{
        .kind = need.kind, .weight = std::move(*weight), .bias = {}, .epsilon = need.epsilon};
    if (need.bias) {
      Result<std::vector<float>> bias = ReadVector(Tensor(*model_, *need.bias));
      if (!bias) {
        return PassOn(std::move(bias.error()));
      }
      norm.bias = std::move(*bias);
    }
    *slot = std::move(norm);
  }
  return &**slot;
}

Result<const NormWeights*> LayerWeights::AttentionNorm() {
  return Get(description().attention_norm, &attention_norm_);
}

Result<const Linear*> LayerWeights::QueryKeyValue(std::stop_token stop) {
  return Get(description().query_key_value, &query_key_value_, std::move(stop));
}

Result<const Linear*> LayerWeights::Output(std::stop_token stop) {
  return Get(description().output, &output_, std::move(stop));
}

Result<const NormWeights*> LayerWeights::MlpNorm() {
  return Get(description().mlp_norm, &mlp_norm_);
}

Result<const Linear*> LayerWeights::MlpUp(std::stop_token stop) {
  return Get(description().mlp_up, &mlp_up_, std::move(stop));
}

Result<const Linear*> LayerWeights::MlpGate(std::stop_token stop) {
  HEADSCOPE_CHECK(description().mlp_gate.has_value(), "only a gated layer has a gate");
  return Get(*description().mlp_gate, &mlp_gate_, std::move(stop));
}

Result<const Linear*> LayerWeights::MlpDown(std::stop_token stop) {
  return Get(description().mlp_down, &mlp_down_, std::move(stop));
}

}  // namespace headscope
