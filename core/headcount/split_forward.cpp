// SplitLayer on a forward: where its output projection and its costs come from.
#include <utility>

#include "core/headcount/remade_layer.h"
#include "core/headcount/split.h"

namespace headscope {
namespace {

std::int64_t Elements(const TensorNeed& need) {
  std::int64_t count = 1;
  for (const std::int64_t side : need.shape) {
    count *= side;
  }
  return need.rows ? count / need.shape.front() * need.rows->count : count;
}

void Add(const LinearNeed& need, std::int64_t* weights, SplitCosts* costs) {
  for (const LinearNeed::Matrix& matrix : need.matrices) {
    *weights += Elements(matrix.weight);
    costs->biases += matrix.bias ? Elements(*matrix.bias) : 0;
  }
}

}  // namespace

Result<SplitResult> SplitLayer(Forward* forward,
                               std::shared_ptr<const LayerAttention> layer,
                               const SplitRequest& request,
                               const std::stop_token& stop,
                               SplitProgress progress) {
  const LayerId id{layer->part(), layer->layer()};
  const auto output = forward->OutputProjection(id, stop);
  HEADSCOPE_TRY(output);
  const StackDescription& stack = StackOf(forward->model().description(), id.part);
  const LayerDescription& description = stack.layer[static_cast<std::size_t>(id.layer)];
  SplitCosts costs;
  if (id.part == ModelPart::kCross) {
    Add(description.cross->query, &costs.weights, &costs);
    Add(description.cross->key_value, &costs.key_weights, &costs);
    Add(description.cross->output, &costs.weights, &costs);
  } else if (description.separate) {
    Add(description.separate->query, &costs.weights, &costs);
    Add(description.separate->key, &costs.weights, &costs);
    Add(description.separate->value, &costs.weights, &costs);
    Add(description.output, &costs.weights, &costs);
  } else {
    Add(description.query_key_value, &costs.weights, &costs);
    Add(description.output, &costs.weights, &costs);
  }
  RemadeLayer remade{std::move(layer), nullptr};
  if (!request.UsesLayer()) {
    auto made = RemakeLayer(forward, *remade.layer, request, stop);
    HEADSCOPE_TRY(made);
    remade = std::move(*made);
  }
  return SplitLayer({.backend = &forward->backend(),
                     .output = remade.output != nullptr ? remade.output.get() : *output,
                     .costs = costs,
                     .layer = remade.layer},
                    request,
                    stop,
                    std::move(progress));
}

}  // namespace headscope
