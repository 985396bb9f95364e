#include "core/model/twin.h"

#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

// The tensors that take the place of a layer's projections, and what keeps them.
struct Matrices {
  std::shared_ptr<const Model> model;
  std::vector<std::unique_ptr<ProjectionColumns>> columns;
  TensorMap tensors;
};

void Permute(std::vector<float>* values, RandomStream* random) {
  for (std::size_t i = values->size(); i > 1; --i) {
    std::swap((*values)[i - 1], (*values)[random->Below(i)]);
  }
}

// Adds a matrix [columns, in] with its bias, and gives what a description says of them.
LinearNeed::Matrix Add(const std::string& name, ProjectionColumns columns, Matrices* matrices) {
  matrices->columns.push_back(std::make_unique<ProjectionColumns>(std::move(columns)));
  const ProjectionColumns& kept = *matrices->columns.back();
  LinearNeed::Matrix need;
  need.weight = {.name = name + ".weight", .shape = {kept.columns(), kept.in}};
  need.bias = TensorNeed{.name = name + ".bias", .shape = {kept.columns()}};
  const auto put = [&](const TensorNeed& tensor, const std::vector<float>& values) {
    matrices->tensors[tensor.name] = {.name = tensor.name,
                                      .type = DataType::kF32,
                                      .shape = tensor.shape,
                                      .bytes = std::as_bytes(std::span(values))};
  };
  put(need.weight, kept.weight);
  put(*need.bias, kept.bias);
  return need;
}

Status Scramble(const Model& model,
                std::uint64_t seed,
                const std::stop_token& stop,
                ModelDescription* description,
                Matrices* matrices) {
  for (std::size_t layer = 0; layer < description->layer.size(); ++layer) {
    const LinearNeed joined = description->layer[layer].query_key_value;
    LinearNeed apart{.layout = WeightLayout::kOutIn, .in = joined.in, .matrices = {}};
    const std::int64_t queries = description->heads * description->head_dim;
    const std::int64_t keys = description->kv_heads * description->head_dim;
    const std::int64_t values = description->kv_heads * description->value_dim;
    RandomStream random(seed * 1'000'003 + layer);
    std::int64_t first = 0;
    for (const auto& [kind, count] :
         {std::pair("query", queries), std::pair("key", keys), std::pair("value", values)}) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "scrambling the model was stopped");
      }
      ProjectionColumns columns = ReadColumns(model, joined, first, count);
      if (first < queries + keys) {
        Permute(&columns.weight, &random);
      }
      apart.matrices.push_back(
          Add(fmt::format("twin.{}.{}", layer, kind), std::move(columns), matrices));
      first += count;
    }
    description->layer[layer].query_key_value = std::move(apart);
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Model>> MakeTwin(std::shared_ptr<const Model> model,
                                              std::uint64_t seed,
                                              const std::stop_token& stop) {
  auto matrices = std::make_shared<Matrices>();
  matrices->model = model;
  ModelDescription description = model->description();
  try {
    HEADSCOPE_TRY(Scramble(*model, seed, stop, &description, matrices.get()));
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory, "there is no memory for a twin of the model");
  }
  TensorMap tensors = std::exchange(matrices->tensors, {});
  return Model::WithTensors(
      *model, fmt::format("twin {}", seed), std::move(description), std::move(tensors), matrices);
}

}  // namespace headscope
