// GPT-NeoX and Pythia: part of each head is rotated, attention and MLP run side by side or one
// after the other, and one matrix has queries, keys and values head by head.
//
// Source   Black 2022; tensors as transformers' GPTNeoXModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kGptNeoxFamily;
namespace {

constexpr std::array<std::string_view, 2> kGptNeoxPrefixes = {"gpt_neox.", ""};

struct GptNeoxConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGelu;
  HasBias attention_bias = HasBias::kYes;
  bool is_parallel = true;
};

LinearNeed QueryKeyValue(const std::string& name, const GptNeoxConfig& config) {
  const std::int64_t width = config.sizes.model_dim;
  LinearNeed need = Product({MatrixPart(name, width, 3 * width, config.attention_bias)});
  need.fused_heads = config.sizes.heads;
  return need;
}

LayerDescription GptNeoxLayer(std::int64_t index, const GptNeoxConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  LayerDescription layer;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "input_layernorm", width, config.epsilon));
  layer.query_key_value = QueryKeyValue(prefix + "attention.query_key_value", config);
  layer.rotary = 0;
  layer.output =
      Product({MatrixPart(prefix + "attention.dense", width, width, config.attention_bias)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = true};
  layer.mlp_norm =
      NormBefore(LayerNorm(prefix + "post_attention_layernorm", width, config.epsilon));
  layer.is_parallel = config.is_parallel;
  layer.mlp_up = Product({MatrixPart(prefix + "mlp.dense_h_to_4h", width, inner, HasBias::kYes)});
  layer.mlp_down = Product({MatrixPart(prefix + "mlp.dense_4h_to_h", inner, width, HasBias::kYes)});
  layer.activation = config.activation;
  return layer;
}

Result<GptNeoxConfig> ReadGptNeox(const JsonObject& json) {
  HEADSCOPE_TRY(const auto sizes, ReadSizes(json, {.default_positions = 2048}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "hidden_act", "gelu"));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", true));
  HEADSCOPE_TRY(const auto is_parallel, json.Boolean("use_parallel_residual", true));
  return GptNeoxConfig{.sizes = sizes,
                       .epsilon = epsilon,
                       .activation = activation,
                       .attention_bias = bias,
                       .is_parallel = is_parallel};
}

Result<ModelDescription> DescribeGptNeox(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadGptNeox(json));
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = config.sizes.head_dim,
                            .positions = config.sizes.positions,
                            .theta = kUsualRotaryBase,
                            .partial_factor = 0.25,
                            .theta_key = "rotary_emb_base",
                            .partial_key = "rotary_pct"}));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", false));
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
  return model;
}

}  // namespace

const Family kGptNeoxFamily = {
    .id = "gpt_neox",
    .describe = DescribeGptNeox,
    .prefixes = kGptNeoxPrefixes,
    .example = R"({"model_type": "gpt_neox", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 24, "intermediate_size": 10, "rotary_pct": 0.5,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
