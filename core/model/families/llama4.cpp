// Llama 4: Llama's layout with experts, of which a router weighs what they read, and a shared one. Three
// layers in four rotate, then norm queries and keys, and see keys of their own chunk only; the others
// have no positions, and their queries grow with their own.
//
// Source   Meta 2025; tensors as transformers' Llama4TextModel names them.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kLlama4Family;
namespace {

// Returns all layers but every `step`-th.
Result<std::vector<bool>> ReadTurning(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto step, json.Integer("no_rope_layer_interval", 1, kMaxLayers, 4));
  return ReadLayerFlags(json, "no_rope_layers", LayersWhere(layers, [&](auto layer) {
                          return (layer + 1) % step != 0;
                        }));
}

Result<std::vector<bool>> ReadSparse(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto step, json.Integer("interleave_moe_layer_step", 1, kMaxLayers, 1));
  return ReadLayerNumbers(json,
                          "moe_layers",
                          NumberBeyond::kRefused,
                          LayersWhere(layers, [&](auto layer) { return (layer + 1) % step == 0; }));
}

Result<LlamaExperts> ReadLlama4Experts(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "num_local_experts",
                             .inner = "intermediate_size",
                             .usual_count = 16,
                             .usual_chosen = 1,
                             .usual_inner = 8192}));
  HEADSCOPE_TRY(experts.layers, ReadSparse(json, layers));
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.is_normalised = false;
  experts.weighs_input = true;
  experts.shared_inner = experts.inner;
  experts.block = "feed_forward.";
  experts.router = "router";
  experts.shared_gate = {};
  return experts;
}

Result<std::optional<QueryGrowth>> ReadTemperature(const JsonObject& json) {
  HEADSCOPE_TRY(const auto grows, json.Boolean("attn_temperature_tuning", true));
  HEADSCOPE_TRY(const auto interval, json.Integer("floor_scale", 1, kMaxPositions, 8192));
  HEADSCOPE_TRY(const auto strength, json.Number("attn_scale", -1e6, 1e6, 0.1));
  return grows ? std::optional(QueryGrowth{
                     .strength = strength, .interval = static_cast<double>(interval), .first = 1})
               : std::nullopt;
}

Result<ModelDescription> DescribeLlama4(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.kv_heads = 8,
                                 .head_dim = 128,
                                 .positions = 131'072,
                                 .theta = 500'000.0,
                                 .epsilon = 1e-5,
                                 .inner_key = "intermediate_size_mlp"}));
  const std::int64_t layers = config.sizes.layers;
  HEADSCOPE_TRY(auto experts, ReadLlama4Experts(json, layers));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto has_norms, json.Boolean("use_qk_norm", true));
  HEADSCOPE_TRY(const auto chunk,
                json.IsNull("attention_chunk_size")
                    ? Result<std::int64_t>(0)
                    : json.Integer("attention_chunk_size", 1, kMaxPositions, 8192));
  HEADSCOPE_TRY(const auto growth, ReadTemperature(json));
  HEADSCOPE_TRY(config.turns, ReadTurning(json, layers));
  // Layers that see keys of their own chunk only.
  HEADSCOPE_TRY(
      const auto chunked,
      ReadLayerKinds(json, "layer_types", {"full_attention", "chunked_attention"}, config.turns));
  config.experts = std::move(experts);
  config.query_bias = bias;
  config.output_bias = bias;
  config.rotary.table.pairs_neighbours = true;
  config.is_rotated_first = true;
  config.names.up = "feed_forward.up_proj";
  config.names.gate = "feed_forward.gate_proj";
  config.names.down = "feed_forward.down_proj";
  ModelDescription model = DescribeLlama(kLlama4Family.id, config);
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    LayerDescription& layer = model.layer[i];
    layer.rule.chunk = chunked[i] ? chunk : 0;
    if (!config.turns[i]) {
      layer.query_growth = growth;
    } else if (has_norms) {
      layer.query_norm = RmsNorm("", config.sizes.head_dim, config.epsilon);
      layer.key_norm = layer.query_norm;
    }
  }
  return model;
}

}  // namespace

const Family kLlama4Family = {
    .id = "llama4_text",
    .describe = DescribeLlama4,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "llama4_text", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 6, "intermediate_size_mlp": 10, "num_local_experts": 3,
                   "interleave_moe_layer_step": 2, "no_rope_layers": [1, 0, 1],
                   "attention_chunk_size": 4, "floor_scale": 3, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
