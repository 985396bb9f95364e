// Phi 1, 1.5 and 2: one layer norm before attention and MLP, which run side by side; part of each
// head is rotated.
//
// Source   Li 2023; tensors as transformers' PhiModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kPhiFamily;
namespace {

constexpr std::array<std::string_view, 2> kPhiPrefixes = {"model.", ""};

struct PhiConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGeluTanh;
  bool has_query_key_norm = false;
};

LayerDescription PhiLayer(std::int64_t index, const PhiConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  const std::int64_t head_dim = config.sizes.head_dim;
  const std::int64_t query_width = config.sizes.heads * head_dim;
  const std::int64_t key_width = config.sizes.kv_heads * head_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "input_layernorm", width, config.epsilon));
  layer.query_key_value = Product({part(attention + "q_proj", width, query_width),
                                   part(attention + "k_proj", width, key_width),
                                   part(attention + "v_proj", width, key_width)});
  if (config.has_query_key_norm) {
    layer.query_norm = LayerNorm(attention + "q_layernorm", head_dim, config.epsilon);
    layer.key_norm = LayerNorm(attention + "k_layernorm", head_dim, config.epsilon);
  }
  layer.rotary = 0;
  layer.output = Product({part(attention + "dense", query_width, width)});
  layer.rule = {.scale = UsualScale(head_dim), .causal = true};
  layer.is_parallel = true;
  layer.mlp_up = Product({part(prefix + "mlp.fc1", width, inner)});
  layer.mlp_down = Product({part(prefix + "mlp.fc2", inner, width)});
  layer.activation = config.activation;
  return layer;
}

Result<PhiConfig> ReadPhi(const JsonObject& json) {
  HEADSCOPE_TRY(
      const auto sizes,
      ReadSizes(
          json,
          {.kv_heads = "num_key_value_heads", .head_dim = "head_dim", .default_positions = 2048}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "hidden_act", "gelu_new"));
  HEADSCOPE_TRY(const auto has_norm, json.Boolean("qk_layernorm", false));
  return PhiConfig{
      .sizes = sizes, .epsilon = epsilon, .activation = activation, .has_query_key_norm = has_norm};
}

Result<ModelDescription> DescribePhi(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadPhi(json));
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = config.sizes.head_dim,
                            .positions = config.sizes.positions,
                            .theta = kUsualRotaryBase,
                            .partial_factor = 0.5}));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", false));
  config.sizes.positions = rotary.positions;
  ModelDescription model = StartDescription(kPhiFamily.id, config.sizes, "embed_tokens.weight");
  model.ties_embeddings = is_tied;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary.rule};
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = LayerNorm("final_layernorm", config.sizes.model_dim, config.epsilon);
  for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
    model.layer.push_back(PhiLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kPhiFamily = {
    .id = "phi",
    .describe = DescribePhi,
    .prefixes = kPhiPrefixes,
    .example = R"({"model_type": "phi", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 24, "intermediate_size": 10, "qk_layernorm": true,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
