// Falcon: rotary positions or a slope on the scores (ALiBi), layer norms; attention and MLP side by
// side in most. One matrix holds queries, keys and values: all queries first with one head of keys
// and values, head by head, or group by group.
//
// Source   Almazrouei 2023; tensors as transformers' FalconModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kFalconFamily;
namespace {

constexpr std::array<std::string_view, 2> kFalconPrefixes = {"transformer.", ""};

struct FalconConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGelu;
  HasBias bias = HasBias::kNo;
  bool is_grouped = false;  // "new_decoder_architecture"
  bool is_parallel = true;
  bool has_two_norms = false;  // of attention and MLP side by side
};

// The rows of queries, keys and values in a matrix that holds them group by group.
LinearNeed Grouped(const std::string& name, const FalconConfig& config) {
  const StackSizes& sizes = config.sizes;
  const std::int64_t queries = sizes.heads / sizes.kv_heads;
  const std::int64_t rows = (queries + 2) * sizes.head_dim;
  const LinearNeed::Matrix whole =
      MatrixPart(name, sizes.model_dim, sizes.kv_heads * rows, config.bias);
  std::vector<LinearNeed::Matrix> parts;
  const auto add = [&](std::int64_t first, std::int64_t count) {
    for (std::int64_t group = 0; group < sizes.kv_heads; ++group) {
      parts.push_back(RowsOf(whole, group * rows + first * sizes.head_dim, count * sizes.head_dim));
    }
  };
  add(0, queries);
  add(queries, 1);
  add(queries + 1, 1);
  return Product(std::move(parts));
}

LinearNeed QueriesKeysValues(const std::string& name, const FalconConfig& config) {
  if (config.is_grouped) {
    return Grouped(name, config);
  }
  const StackSizes& sizes = config.sizes;
  const std::int64_t out = (sizes.heads + 2 * sizes.kv_heads) * sizes.head_dim;
  LinearNeed need = Product({MatrixPart(name, sizes.model_dim, out, config.bias)});
  need.fused_heads = sizes.kv_heads == sizes.heads ? sizes.heads : 0;
  return need;
}

LayerDescription FalconLayer(std::int64_t index, const FalconConfig& config) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const auto norm = [&](const char* name) {
    return NormBefore(LayerNorm(prefix + name, width, config.epsilon));
  };
  const auto product = [&](const char* name, std::int64_t in, std::int64_t out) {
    return Product({MatrixPart(prefix + name, in, out, config.bias)});
  };
  LayerDescription layer;
  layer.is_parallel = config.is_parallel;
  layer.attention_norm = norm(config.has_two_norms ? "ln_attn" : "input_layernorm");
  if (config.has_two_norms) {
    layer.mlp_norm = norm("ln_mlp");
  } else if (!config.is_parallel) {
    layer.mlp_norm = norm("post_attention_layernorm");
  }
  layer.query_key_value = QueriesKeysValues(prefix + "self_attention.query_key_value", config);
  layer.output = product("self_attention.dense", width, width);
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = true};
  layer.mlp_up = product("mlp.dense_h_to_4h", width, config.sizes.inner);
  layer.mlp_down = product("mlp.dense_4h_to_h", config.sizes.inner, width);
  layer.activation = config.activation;
  return layer;
}

Result<FalconConfig> ReadFalcon(const JsonObject& json) {
  FalconConfig config;
  HEADSCOPE_TRY(config.is_grouped, json.Boolean("new_decoder_architecture", false));
  HEADSCOPE_TRY(const auto shares_keys, json.Boolean("multi_query", true));
  HEADSCOPE_TRY(config.sizes,
                ReadSizes(json,
                          {.kv_heads = config.is_grouped ? "num_kv_heads" : "",
                           .inner = "ffn_hidden_size",
                           .default_positions = 2048,
                           .default_inner_factor = 4}));
  if (!config.is_grouped && shares_keys) {
    config.sizes.kv_heads = 1;
  }
  HEADSCOPE_TRY(config.epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(config.activation, ReadActivation(json, "activation", "gelu"));
  HEADSCOPE_TRY(config.bias, ReadBias(json, "bias", false));
  HEADSCOPE_TRY(config.is_parallel, json.Boolean("parallel_attn", true));
  HEADSCOPE_TRY(const auto norms,
                json.Integer("num_ln_in_parallel_attn", 1, 2, config.is_grouped ? 2 : 1));
  config.has_two_norms = config.is_parallel && norms == 2;
  return config;
}

Result<ModelDescription> DescribeFalcon(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadFalcon(json));
  HEADSCOPE_TRY(
      const auto rotary,
      ReadRotary(json, {.head_dim = config.sizes.head_dim, .positions = config.sizes.positions}));
  HEADSCOPE_TRY(const auto has_slopes, json.Boolean("alibi", false));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  config.sizes.positions = rotary.positions;
  ModelDescription model =
      StartDescription(kFalconFamily.id, config.sizes, "word_embeddings.weight");
  model.ties_embeddings = is_tied;
  if (!has_slopes) {
    model.position_scheme = PositionScheme::kRotary;
    model.rotary = {rotary.rule};
  }
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = LayerNorm("ln_f", config.sizes.model_dim, config.epsilon);
  // The slopes are added before the scores are scaled.
  const auto bias =
      has_slopes ? AlibiBias(config.sizes.heads, UsualScale(config.sizes.head_dim)) : nullptr;
  for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
    model.layer.push_back(FalconLayer(layer, config));
    model.layer.back().rule.bias = bias;
    if (!has_slopes) {
      model.layer.back().rotary = 0;
    }
  }
  return model;
}

}  // namespace

const Family kFalconFamily = {
    .id = "falcon",
    .describe = DescribeFalcon,
    .prefixes = kFalconPrefixes,
    .example = R"({"model_type": "falcon", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_kv_heads": 2, "hidden_size": 16, "ffn_hidden_size": 10, "bias": true,
                   "new_decoder_architecture": true, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
