#include "core/model/twin.h"

#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/random.h"
#include "core/model/latent_attention.h"
#include "core/model/read_weights.h"

namespace headscope {
namespace {

constexpr std::uint64_t kDecoderDraws = 500'000;  // beyond the layers of an encoder

// The tensors that replace a layer's projections, and their owner.
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

// Adds a matrix [columns, in] with its bias, and returns its description.
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

struct ColumnsOf {
  std::string kind;  // "query"
  std::int64_t count = 0;
  bool is_permuted = false;
};

// Splits the joined product into matrices, with queries and keys permuted. `name` is the layer's.
Result<LinearNeed> Apart(const Model& model,
                         const LinearNeed& joined,
                         const std::string& name,
                         const std::vector<ColumnsOf>& parts,
                         const std::stop_token& stop,
                         RandomStream* random,
                         Matrices* matrices) {
  LinearNeed apart{.layout = WeightLayout::kOutIn, .in = joined.in, .matrices = {}};
  std::int64_t first = 0;
  for (const ColumnsOf& part : parts) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "scrambling the model was stopped");
    }
    ProjectionColumns columns = ReadColumns(model, joined, first, part.count);
    if (part.is_permuted) {
      Permute(&columns.weight, random);
    }
    apart.matrices.push_back(
        Add(fmt::format("{}.{}", name, part.kind), std::move(columns), matrices));
    first += part.count;
  }
  return apart;
}

// `draws` separates the random draws of the stacks.
Status Scramble(const Model& model,
                const std::string& name,
                std::uint64_t draws,
                const std::stop_token& stop,
                StackDescription* stack,
                Matrices* matrices) {
  for (std::size_t layer = 0; layer < stack->layer.size(); ++layer) {
    LayerDescription& description = stack->layer[layer];
    const HeadWidths widths = stack->WidthsOf(description);
    const ColumnsOf queries{"query", stack->heads * widths.key, true};
    const ColumnsOf keys{"key", stack->kv_heads * widths.key, true};
    const ColumnsOf values{"value", stack->kv_heads * widths.value, false};
    const std::string of_layer = fmt::format("{}.{}", name, layer);
    RandomStream random(draws + layer);
    const auto replace = [&](LinearNeed* need,
                             const std::string& of,
                             const std::vector<ColumnsOf>& parts) -> Status {
      HEADSCOPE_TRY(auto apart, Apart(model, *need, of, parts, stop, &random, matrices));
      *need = std::move(apart);
      return {};
    };
    HEADSCOPE_TRY(
        replace(&description.query_key_value,
                of_layer,
                description.keys_of ? std::vector{queries} : std::vector{queries, keys, values}));
    if (description.cross) {
      const std::string of_cross = of_layer + ".cross";
      HEADSCOPE_TRY(replace(&description.cross->query, of_cross, {queries}));
      HEADSCOPE_TRY(replace(&description.cross->key_value, of_cross, {keys, values}));
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<const Model>> MakeTwin(const std::shared_ptr<const Model>& model,
                                              std::uint64_t seed,
                                              const std::stop_token& stop) {
  HEADSCOPE_TRY(RefuseLatents(model->description(), "a twin"));
  auto matrices = std::make_shared<Matrices>();
  matrices->model = model;
  ModelDescription description = model->description();
  try {
    const std::uint64_t draws = seed * 1'000'003;
    HEADSCOPE_TRY(Scramble(*model, "twin", draws, stop, &description, matrices.get()));
    if (description.decoder) {
      HEADSCOPE_TRY(Scramble(*model,
                             "twin.decoder",
                             draws + kDecoderDraws,
                             stop,
                             &*description.decoder,
                             matrices.get()));
    }
  } catch (const std::bad_alloc&) {
    return Fail(ErrorCode::kOutOfMemory, "there is no memory for a twin of the model");
  }
  TensorMap tensors = std::exchange(matrices->tensors, {});
  return Model::WithTensors(
      *model, fmt::format("twin {}", seed), std::move(description), std::move(tensors), matrices);
}

}  // namespace headscope
