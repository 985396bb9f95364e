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

// Returns numbers that are not 0 as true. Without the list, all but every `interval`-th.
Result<std::vector<bool>> ReadTurning(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto interval, json.Integer("no_rope_layer_interval", 1, kMaxLayers, 4));
  HEADSCOPE_TRY(const auto list, json.Array("no_rope_layers"));
  std::vector<bool> turns;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    turns.push_back((layer + 1) % interval != 0);
  }
  if (!list || list->empty()) {
    return turns;
  }
  for (std::size_t layer = 0; layer < turns.size(); ++layer) {
    const std::int64_t value =
        layer < list->size() ? (*list)[layer].Integer().value_or(-1) : std::int64_t{-1};
    if (value != 0 && value != 1) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"no_rope_layers\" does not say 0 or 1 of each of the {} "
                              "layers, expected that",
                              json.name(),
                              layers));
    }
    turns[layer] = value == 1;
  }
  return turns;
}

Result<std::vector<bool>> ReadSparse(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto step, json.Integer("interleave_moe_layer_step", 1, kMaxLayers, 1));
  HEADSCOPE_TRY(const auto list, json.Array("moe_layers"));
  std::vector<bool> sparse;
  for (std::int64_t layer = 0; layer < layers; ++layer) {
    sparse.push_back(!list && (layer + 1) % step == 0);
  }
  for (std::size_t i = 0; list && i < list->size(); ++i) {
    const std::int64_t layer = (*list)[i].Integer().value_or(-1);
    if (layer < 0 || layer >= layers) {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"moe_layers\" names layer {}, expected layers 0 to {}",
                              json.name(),
                              (*list)[i].Minified(),
                              layers - 1));
    }
    sparse[static_cast<std::size_t>(layer)] = true;
  }
  return sparse;
}

// Layers that see keys of their own chunk only.
Result<std::vector<bool>> ReadChunked(const JsonObject& json, const std::vector<bool>& turns) {
  HEADSCOPE_TRY(const auto list, json.Array("layer_types"));
  std::vector<bool> chunked = turns;
  for (std::size_t layer = 0; list && layer < chunked.size(); ++layer) {
    const std::string_view kind =
        layer < list->size() ? (*list)[layer].Text().value_or("") : std::string_view();
    if (kind != "chunked_attention" && kind != "full_attention") {
      return Fail(ErrorCode::kFormat,
                  fmt::format("{}: \"layer_types\" does not say \"chunked_attention\" or "
                              "\"full_attention\" of each of the {} layers, expected that",
                              json.name(),
                              chunked.size()));
    }
    chunked[layer] = kind == "chunked_attention";
  }
  return chunked;
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
  HEADSCOPE_TRY(const auto chunked, ReadChunked(json, config.turns));
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
      layer.query_norm->weight.name.clear();  // of length 1, without weights
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
