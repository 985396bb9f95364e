#include "core/model/prepared_weights.h"

#include <utility>

#include "core/base/check.h"
#include "core/base/half.h"
#include "core/compute/input_checks.h"

namespace headscope {
namespace {

Result<std::vector<float>> ReadVector(const TensorView& tensor) {
  std::vector<float> values(static_cast<std::size_t>(ElementCount(tensor)));
  ConvertToFloat(tensor, 0, values);
  HEADSCOPE_TRY(CheckFinite(tensor, 0, values));
  return values;
}

}  // namespace

// Model::Open has checked that every tensor of the description is there, with its shape.
const TensorView& PreparedWeights::Find(const TensorNeed& need) const {
  const TensorView* tensor = model_.weights().Find(need.name);
  HEADSCOPE_CHECK(tensor != nullptr, "an open model holds every tensor it needs");
  return *tensor;
}

Result<const Linear*> PreparedWeights::Get(const LinearNeed& need, std::stop_token stop) {
  const auto found = linears_.find(&need);
  if (found != linears_.end()) {
    return found->second.get();
  }
  LinearSource source{.layout = need.layout, .in = need.in, .parts = {}};
  for (const LinearNeed::Part& part : need.parts) {
    source.parts.push_back(
        {Find(part.weight), part.bias ? std::optional(Find(*part.bias)) : std::nullopt});
  }
  Result<std::unique_ptr<Linear>> prepared = backend_.Prepare(source, std::move(stop));
  if (!prepared) {
    return PassOn(std::move(prepared.error()));
  }
  return linears_.emplace(&need, std::move(*prepared)).first->second.get();
}

Result<const NormWeights*> PreparedWeights::Get(const NormNeed& need) {
  const auto found = norms_.find(&need);
  if (found != norms_.end()) {
    return found->second.get();
  }
  Result<std::vector<float>> weight = ReadVector(Find(need.weight));
  if (!weight) {
    return PassOn(std::move(weight.error()));
  }
  auto norm = std::make_unique<NormWeights>(NormWeights{
      .kind = need.kind, .weight = std::move(*weight), .bias = {}, .epsilon = need.epsilon});
  if (need.bias) {
    Result<std::vector<float>> bias = ReadVector(Find(*need.bias));
    if (!bias) {
      return PassOn(std::move(bias.error()));
    }
    norm->bias = std::move(*bias);
  }
  return norms_.emplace(&need, std::move(norm)).first->second.get();
}

}  // namespace headscope
