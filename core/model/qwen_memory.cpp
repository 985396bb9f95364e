#include "core/model/qwen_memory.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/plain_blocks.h"

namespace headscope {
namespace {

// Queries and gates lie in one matrix, head by head.
void PartQueries(const StackSizes& sizes, LayerDescription* layer) {
  std::vector<LinearNeed::Matrix>& parts = layer->query_key_value.matrices;
  LinearNeed::Matrix both = parts.front();
  both.weight.shape.front() *= 2;
  if (both.bias) {
    both.bias->shape.front() *= 2;
  }
  LinearNeed gate{.in = sizes.model_dim, .matrices = {}};
  std::vector<LinearNeed::Matrix> queries;
  for (std::int64_t half = 0; half < 2 * sizes.heads; ++half) {
    (half % 2 == 0 ? queries : gate.matrices)
        .push_back(RowsOf(both, half * sizes.head_dim, sizes.head_dim));
  }
  parts.erase(parts.begin());
  parts.insert(parts.begin(), queries.begin(), queries.end());
  layer->output_gate = OutputGate{.product = std::move(gate)};
}

struct MemorySizes {
  DeltaShape shape;
  std::int64_t taps = 0;
};

Result<MemorySizes> ReadMemory(const JsonObject& json) {
  MemorySizes sizes;
  DeltaShape& shape = sizes.shape;
  HEADSCOPE_TRY(shape.key_heads, json.Integer("linear_num_key_heads", 1, kMaxKeyHeads, 16));
  HEADSCOPE_TRY(shape.heads, json.Integer("linear_num_value_heads", 1, kMaxWidth, 32));
  HEADSCOPE_TRY(shape.key_width, json.Integer("linear_key_head_dim", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(shape.value_width, json.Integer("linear_value_head_dim", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(sizes.taps, json.Integer("linear_conv_kernel_dim", 1, kMaxTaps, 4));
  if (shape.heads % shape.key_heads != 0) {
    return json.Refuse("linear_num_value_heads",
                       fmt::format("a multiple of {} (\"linear_num_key_heads\")", shape.key_heads),
                       ErrorCode::kFormat);
  }
  if (shape.columns() > kMaxInnerWidth ||
      shape.heads * shape.key_width * shape.value_width > kMaxRemembered) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} heads remember {} by {} numbers each "
                            "(\"linear_num_value_heads\", \"linear_key_head_dim\", "
                            "\"linear_value_head_dim\"), expected at most {} in all",
                            json.name(),
                            shape.heads,
                            shape.key_width,
                            shape.value_width,
                            kMaxRemembered));
  }
  return sizes;
}

// A memory's products of a layer's input.
struct MemoryProducts {
  LinearNeed columns;
  LinearNeed rates;
  LinearNeed gate;
};

MemoryProducts ProductsApart(const std::string& prefix,
                             std::int64_t width,
                             const DeltaShape& shape) {
  const auto part = [&](const char* name, std::int64_t out) {
    return MatrixPart(prefix + name, width, out, HasBias::kNo);
  };
  return {.columns = Product({part("in_proj_qkv", shape.columns())}),
          .rates = Product({part("in_proj_b", shape.heads), part("in_proj_a", shape.heads)}),
          .gate = Product({part("in_proj_z", shape.values())})};
}

// Rows of a head of keys: its query, its key, its values, their gates; and strengths, fadings.
MemoryProducts ProductsTogether(const std::string& prefix,
                                std::int64_t width,
                                const DeltaShape& shape) {
  const std::int64_t key = shape.key_width;
  const std::int64_t heads = shape.heads / shape.key_heads;
  const std::int64_t values = heads * shape.value_width;
  const auto both =
      MatrixPart(prefix + "in_proj_qkvz", width, shape.columns() + shape.values(), HasBias::kNo);
  const auto rates = MatrixPart(prefix + "in_proj_ba", width, 2 * shape.heads, HasBias::kNo);
  const auto of_all = [&](const LinearNeed::Matrix& whole,
                          std::int64_t first,
                          std::int64_t count,
                          std::vector<LinearNeed::Matrix>* parts) {
    const std::int64_t step = whole.weight.shape.front() / shape.key_heads;
    for (std::int64_t head = 0; head < shape.key_heads; ++head) {
      parts->push_back(RowsOf(whole, head * step + first, count));
    }
  };
  std::vector<LinearNeed::Matrix> columns;
  of_all(both, 0, key, &columns);
  of_all(both, key, key, &columns);
  of_all(both, 2 * key, values, &columns);
  std::vector<LinearNeed::Matrix> gate;
  of_all(both, 2 * key + values, values, &gate);
  std::vector<LinearNeed::Matrix> rate;
  of_all(rates, 0, heads, &rate);
  of_all(rates, heads, heads, &rate);
  return {.columns = Product(std::move(columns)),
          .rates = Product(std::move(rate)),
          .gate = Product(std::move(gate))};
}

DeltaMemory MemoryOf(std::size_t index,
                     const LlamaConfig& config,
                     MemoryStorage storage,
                     const MemorySizes& sizes) {
  const std::string prefix = fmt::format("layers.{}.linear_attn.", index);
  const DeltaShape& shape = sizes.shape;
  const std::int64_t width = config.sizes.model_dim;
  MemoryProducts products = storage == MemoryStorage::kApart
                                ? ProductsApart(prefix, width, shape)
                                : ProductsTogether(prefix, width, shape);
  return {.shape = shape,
          .columns = std::move(products.columns),
          .taps = {.name = prefix + "conv1d.weight", .shape = {shape.columns(), 1, sizes.taps}},
          .rates = std::move(products.rates),
          .fading_log = {prefix + "A_log", {shape.heads}},
          .fading_bias = {prefix + "dt_bias", {shape.heads}},
          .norm = RmsNorm(prefix + "norm", shape.value_width, config.epsilon),
          .gate = std::move(products.gate),
          .out = Product({MatrixPart(prefix + "out_proj", shape.values(), width, HasBias::kNo)}),
          .activation = config.activation};
}

}  // namespace

Result<LlamaConfig> ReadQwenMemoryConfig(const JsonObject& json, const LlamaDefaults& usual) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, usual));
  HEADSCOPE_TRY(config.query_bias, ReadBias(json, "attention_bias", false));
  config.output_bias = config.query_bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.norm_offset = 1.0;
  return config;
}

Result<ModelDescription> DescribeQwenMemory(const JsonObject& json,
                                            std::string_view family,
                                            MemoryStorage storage,
                                            const LlamaConfig& config) {
  HEADSCOPE_TRY(const auto memory, ReadMemory(json));
  HEADSCOPE_TRY(const auto interval, json.Integer("full_attention_interval", 1, kMaxLayers, 4));
  const auto is_usual = [&](auto layer) { return (layer + 1) % interval == 0; };
  HEADSCOPE_TRY(
      const auto attends,
      ReadAttending(json, "linear_attention", LayersWhere(config.sizes.layers, is_usual)));
  ModelDescription model = DescribeLlama(family, config);
  for (LayerDescription& layer : model.layer) {
    PartQueries(config.sizes, &layer);
  }
  const auto fill = [&](std::size_t layer, PlainBlock* block) {
    block->memory = MemoryOf(layer, config, storage, memory);
  };
  MakePlainBlocks(attends, "a memory of what came before (gated delta rule)", fill, &model);
  model.unread.emplace_back("mtp.");
  return model;
}

}  // namespace headscope
