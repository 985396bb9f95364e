// ModernBERT: rotary positions, a gated MLP, norms before the halves; all layers but every third look
// only at what is near, and turn by a base of their own. Its decoder has a mask and looks back.
//
// Source   Warner 2024; Weller 2025 (decoder); tensors as transformers' classes name them, matrices
//          [out, in].
#include <array>
#include <utility>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kModernbertFamily;
namespace {

constexpr std::array<std::string_view, 2> kModernPrefixes = {"model.", ""};

struct ModernConfig {
  StackSizes sizes;
  double epsilon = 1e-5;
  ActivationKind activation = ActivationKind::kGelu;
  HasBias norm_bias = HasBias::kNo;
  HasBias attention_bias = HasBias::kNo;
  HasBias mlp_bias = HasBias::kNo;
  bool is_decoder = false;
  std::vector<std::int64_t> windows;  // per layer, 0: none
};

NormNeed Norm(const std::string& name, const ModernConfig& config) {
  return LayerNorm(name, config.sizes.model_dim, config.epsilon, config.norm_bias);
}

LinearNeed QueriesKeysValues(const std::string& attention, const ModernConfig& config) {
  const std::int64_t width = config.sizes.model_dim;
  const auto part = [&](const char* name, std::int64_t out) {
    return MatrixPart(attention + name, width, out, config.attention_bias);
  };
  return config.is_decoder
             ? Product({part("q_proj", width), part("k_proj", width), part("v_proj", width)})
             : Product({part("Wqkv", 3 * width)});
}

LayerDescription ModernLayer(std::size_t index, const ModernConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  const std::int64_t window = config.windows[index];
  LayerDescription layer;
  if (index > 0) {  // the first reads what was just normed
    layer.attention_norm = NormBefore(Norm(prefix + "attn_norm", config));
  }
  layer.query_key_value = QueriesKeysValues(prefix + "attn.", config);
  layer.rotary = window > 0 ? 1 : 0;
  layer.output = Product({MatrixPart(prefix + "attn.Wo", width, width, config.attention_bias)});
  layer.rule = {
      .scale = UsualScale(config.sizes.head_dim), .causal = config.is_decoder, .window = window};
  layer.mlp_norm = NormBefore(Norm(prefix + "mlp_norm", config));
  const auto both = MatrixPart(prefix + "mlp.Wi", width, 2 * inner, config.mlp_bias);
  layer.mlp_gate = Product({RowsOf(both, 0, inner)});
  layer.mlp_up = Product({RowsOf(both, inner, inner)});
  layer.mlp_down = Product({MatrixPart(prefix + "mlp.Wo", inner, width, config.mlp_bias)});
  layer.activation = config.activation;
  return layer;
}

Result<std::vector<std::int64_t>> ReadModernWindows(const JsonObject& json,
                                                    std::int64_t layers,
                                                    bool is_decoder) {
  HEADSCOPE_TRY(const auto interval, json.Integer("global_attn_every_n_layers", 1, kMaxLayers, 3));
  HEADSCOPE_TRY(const auto span, json.Integer("local_attention", 0, kMaxPositions, 128));
  HEADSCOPE_TRY(const auto back, json.Integer("sliding_window", 0, kMaxPositions, span / 2));
  // The span reaches to both sides of the encoder's token, the token itself not counted.
  return ReadWindows(json, is_decoder ? back : span / 2 + 1, LayersWhere(layers, [&](auto layer) {
                       return layer % interval != 0;
                     }));
}

Result<ModernConfig> ReadModern(const JsonObject& json, bool is_decoder) {
  ModernConfig config;
  config.is_decoder = is_decoder;
  HEADSCOPE_TRY(config.sizes, ReadSizes(json, {.default_positions = 8192}));
  HEADSCOPE_TRY(config.epsilon, json.Number("norm_eps", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(config.activation, ReadActivation(json, "hidden_activation", "gelu"));
  HEADSCOPE_TRY(config.norm_bias, ReadBias(json, "norm_bias", false));
  HEADSCOPE_TRY(config.attention_bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(config.mlp_bias, ReadBias(json, "mlp_bias", false));
  HEADSCOPE_TRY(config.windows, ReadModernWindows(json, config.sizes.layers, is_decoder));
  return config;
}

Result<RotaryRule> ReadModernRotary(const JsonObject& json,
                                    const StackSizes& sizes,
                                    std::string_view layer_type) {
  const bool is_whole = layer_type == "full_attention";
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = sizes.head_dim,
                            .positions = sizes.positions,
                            .theta = is_whole ? 160'000.0 : kUsualRotaryBase,
                            .theta_key = is_whole ? "global_rope_theta" : "local_rope_theta",
                            .layer_type = layer_type}));
  return rotary.rule;
}

Result<ModelDescription> DescribeModernbert(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(const auto config, ReadModern(json, type == "modernbert-decoder"));
  HEADSCOPE_TRY(const auto rotary, ReadModernRotary(json, config.sizes, "full_attention"));
  HEADSCOPE_TRY(const auto near, ReadModernRotary(json, config.sizes, "sliding_attention"));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  ModelDescription model =
      StartDescription(kModernbertFamily.id, config.sizes, "embeddings.tok_embeddings.weight");
  model.ties_embeddings = is_tied;
  model.causal = config.is_decoder;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary, near};
  model.embedding_norm = Norm("embeddings.norm", config);
  model.final_norm = Norm("final_norm", config);
  for (std::size_t layer = 0; layer < config.windows.size(); ++layer) {
    model.layer.push_back(ModernLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kModernbertFamily = {
    .id = "modernbert",
    .other_types = "modernbert-decoder",
    .describe = DescribeModernbert,
    .prefixes = kModernPrefixes,
    .example = R"({"model_type": "modernbert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "local_attention": 6, "vocab_size": 11})",
};

}  // namespace headscope
