// Qwen 3.5: Qwen 3 with a gate on what attention gives, in every fourth layer; the others remember by the
// gated delta rule. Layers are counted by those with attention.
//
// Source   Qwen Team 2026; tensors as transformers' Qwen3_5TextModel names them, matrices [out, in].
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/model/llama_layout.h"
#include "core/model/plain_blocks.h"

namespace headscope {
extern const Family kQwen35Family;
namespace {

constexpr std::int64_t kMostTaps = 64;
constexpr std::int64_t kMostRemembered = std::int64_t{1} << 24;

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
  HEADSCOPE_TRY(shape.key_heads, json.Integer("linear_num_key_heads", 1, kMaxWidth, 16));
  HEADSCOPE_TRY(shape.heads, json.Integer("linear_num_value_heads", 1, kMaxWidth, 32));
  HEADSCOPE_TRY(shape.key_width, json.Integer("linear_key_head_dim", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(shape.value_width, json.Integer("linear_value_head_dim", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(sizes.taps, json.Integer("linear_conv_kernel_dim", 1, kMostTaps, 4));
  if (shape.heads % shape.key_heads != 0) {
    return json.Refuse("linear_num_value_heads",
                       fmt::format("a multiple of {} (\"linear_num_key_heads\")", shape.key_heads),
                       ErrorCode::kFormat);
  }
  if (shape.columns() > kMaxInnerWidth ||
      shape.heads * shape.key_width * shape.value_width > kMostRemembered) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} heads remember {} by {} numbers each "
                            "(\"linear_num_value_heads\", \"linear_key_head_dim\", "
                            "\"linear_value_head_dim\"), expected at most {} in all",
                            json.name(),
                            shape.heads,
                            shape.key_width,
                            shape.value_width,
                            kMostRemembered));
  }
  return sizes;
}

DeltaMemory QwenMemory(std::size_t index, const LlamaConfig& config, const MemorySizes& sizes) {
  const std::string prefix = fmt::format("layers.{}.linear_attn.", index);
  const DeltaShape& shape = sizes.shape;
  const std::int64_t width = config.sizes.model_dim;
  const auto part = [&](const char* name, std::int64_t in, std::int64_t out) {
    return MatrixPart(prefix + name, in, out, HasBias::kNo);
  };
  return {.shape = shape,
          .columns = Product({part("in_proj_qkv", width, shape.columns())}),
          .taps = {.name = prefix + "conv1d.weight", .shape = {shape.columns(), 1, sizes.taps}},
          .rates = Product(
              {part("in_proj_b", width, shape.heads), part("in_proj_a", width, shape.heads)}),
          .fading_log = {prefix + "A_log", {shape.heads}},
          .fading_bias = {prefix + "dt_bias", {shape.heads}},
          .norm = RmsNorm(prefix + "norm", shape.value_width, config.epsilon),
          .gate = Product({part("in_proj_z", width, shape.values())}),
          .out = Product({part("out_proj", shape.values(), width)}),
          .activation = config.activation};
}

Result<ModelDescription> DescribeQwen35(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.heads = 16,
                                 .kv_heads = 4,
                                 .vocabulary = 248'320,
                                 .head_dim = 256,
                                 .positions = 32'768,
                                 .partial_factor = 0.25}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto memory, ReadMemory(json));
  HEADSCOPE_TRY(const auto interval, json.Integer("full_attention_interval", 1, kMaxLayers, 4));
  const auto is_usual = [&](auto layer) { return (layer + 1) % interval == 0; };
  HEADSCOPE_TRY(
      const auto attends,
      ReadAttending(json, "linear_attention", LayersWhere(config.sizes.layers, is_usual)));
  config.query_bias = bias;
  config.output_bias = bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.norm_offset = 1.0;
  ModelDescription model = DescribeLlama(kQwen35Family.id, config);
  for (LayerDescription& layer : model.layer) {
    PartQueries(config.sizes, &layer);
  }
  const auto fill = [&](std::size_t layer, PlainBlock* block) {
    block->memory = QwenMemory(layer, config, memory);
  };
  MakePlainBlocks(attends, "a memory of what came before (gated delta rule)", fill, &model);
  model.unread.emplace_back("mtp.");
  return model;
}

}  // namespace

const Family kQwen35Family = {
    .id = "qwen3_5_text",
    .describe = DescribeQwen35,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "qwen3_5_text", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 8, "intermediate_size": 10,
                   "layer_types": ["linear_attention", "full_attention", "linear_attention",
                   "linear_attention", "full_attention", "full_attention"],
                   "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 3,
                   "linear_value_head_dim": 5, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
