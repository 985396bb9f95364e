// GPT-NeoX and Pythia: part of each head is rotated, attention and MLP run side by side or one
// after the other, and one matrix has queries, keys and values head by head. In the Japanese one
// they follow each other, and the only bias is that of the last layer's attention; Persimmon norms
// queries and keys.
//
// Source   Black 2022; Elsen 2023 (Persimmon); tensors as transformers' classes name them, matrices
//          [out, in].
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kGptNeoxFamily;
namespace {

constexpr std::array<std::string_view, 4> kGptNeoxPrefixes = {
    "gpt_neox.", "gpt_neox_japanese.", "model.", ""};
constexpr std::array<OtherName, 3> kPersimmonNames = {{{".attention.", ".self_attn."},
                                                       {"embed_in.", "embed_tokens."},
                                                       {"final_layer_norm.", "final_layernorm."}}};

struct GptNeoxConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGelu;
  HasBias attention_bias = HasBias::kYes;
  HasBias mlp_bias = HasBias::kYes;
  bool is_parallel = true;
  bool norms_queries = false;  // and keys
  bool has_last_bias = false;  // of the last layer's attention, beside its matrix
};

LayerDescription GptNeoxLayer(std::int64_t index, const GptNeoxConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  const auto norm = [&](const char* name, std::int64_t norm_width) {
    return LayerNorm(prefix + name, norm_width, config.epsilon);
  };
  const auto product = [&](const char* name, std::int64_t in, std::int64_t out, HasBias bias) {
    return Product({MatrixPart(prefix + name, in, out, bias)});
  };
  LayerDescription layer;
  layer.attention_norm = NormBefore(norm("input_layernorm", width));
  layer.query_key_value =
      product("attention.query_key_value", width, 3 * width, config.attention_bias);
  layer.query_key_value.fused_heads = config.sizes.heads;
  layer.rotary = 0;
  layer.output = product("attention.dense", width, width, config.attention_bias);
  if (config.has_last_bias && index + 1 == config.sizes.layers) {
    layer.output.matrices.front().bias = TensorNeed{prefix + "attention.dense_bias", {width}};
  }
  if (config.norms_queries) {
    layer.query_norm = norm("attention.q_layernorm", config.sizes.head_dim);
    layer.key_norm = norm("attention.k_layernorm", config.sizes.head_dim);
  }
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = true};
  layer.mlp_norm = NormBefore(norm("post_attention_layernorm", width));
  layer.is_parallel = config.is_parallel;
  layer.mlp_up = product("mlp.dense_h_to_4h", width, inner, config.mlp_bias);
  layer.mlp_down = product("mlp.dense_4h_to_h", inner, width, config.mlp_bias);
  layer.activation = config.activation;
  return layer;
}

// What the types differ in.
struct GptNeoxKind {
  std::string_view type;
  std::string_view activation;
  double partial_factor;
  bool is_japanese;
  bool is_persimmon;
};
constexpr std::array<GptNeoxKind, 3> kKinds = {{{"gpt_neox", "gelu", 0.25, false, false},
                                                {"gpt_neox_japanese", "gelu", 1.0, true, false},
                                                {"persimmon", "relu2", 0.5, false, true}}};

Result<GptNeoxConfig> ReadGptNeox(const JsonObject& json, const GptNeoxKind& kind) {
  SizeKeys keys{.default_positions = 2048};
  if (kind.is_japanese) {
    keys.inner = "";
    HEADSCOPE_TRY(keys.default_inner_factor, json.Integer("intermediate_multiple_size", 1, 64, 4));
  }
  GptNeoxConfig config;
  HEADSCOPE_TRY(config.sizes, ReadSizes(json, keys));
  HEADSCOPE_TRY(config.epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(config.activation, ReadActivation(json, "hidden_act", kind.activation));
  HEADSCOPE_TRY(config.attention_bias, ReadBias(json, "attention_bias", true));
  HEADSCOPE_TRY(const auto is_parallel, json.Boolean("use_parallel_residual", true));
  HEADSCOPE_TRY(const auto norms_queries, json.Boolean("qk_layernorm", kind.is_persimmon));
  config.is_parallel = is_parallel && !kind.is_japanese && !kind.is_persimmon;
  config.norms_queries = norms_queries && kind.is_persimmon;
  if (kind.is_japanese) {
    config.has_last_bias = true;
    config.attention_bias = HasBias::kNo;
    config.mlp_bias = HasBias::kNo;
  }
  return config;
}

Result<ModelDescription> DescribeGptNeox(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const auto found = std::ranges::find(kKinds, type, &GptNeoxKind::type);
  const GptNeoxKind& kind = found == kKinds.end() ? kKinds.front() : *found;
  HEADSCOPE_TRY(auto config, ReadGptNeox(json, kind));
  HEADSCOPE_TRY(
      const auto rotary,
      ReadRotary(json,
                 {.head_dim = config.sizes.head_dim,
                  .positions = config.sizes.positions,
                  .theta = kUsualRotaryBase,
                  .partial_factor = kind.partial_factor,
                  .theta_key = kind.is_persimmon ? "rope_theta" : "rotary_emb_base",
                  .partial_key = kind.is_persimmon ? "partial_rotary_factor" : "rotary_pct"}));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", kind.is_japanese));
  config.sizes.positions = rotary.positions;
  ModelDescription model = StartDescription(kGptNeoxFamily.id, config.sizes, "embed_in.weight");
  model.ties_embeddings = is_tied;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary.rule};
  model.output_layer = OutputNamed("embed_out", model);
  model.output_layer->weight.stand_ins = {"lm_head.weight"};  // in newer files
  model.final_norm = LayerNorm("final_layer_norm", config.sizes.model_dim, config.epsilon);
  for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
    model.layer.push_back(GptNeoxLayer(layer, config));
  }
  if (kind.is_persimmon) {
    UseOtherNames(kPersimmonNames, &model);
  }
  return model;
}

}  // namespace

const Family kGptNeoxFamily = {
    .id = "gpt_neox",
    .other_types = "gpt_neox_japanese persimmon",
    .describe = DescribeGptNeox,
    .prefixes = kGptNeoxPrefixes,
    .example = R"({"model_type": "gpt_neox", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 24, "intermediate_size": 10, "rotary_pct": 0.5,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
