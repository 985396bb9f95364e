// OPT: learned positions from row 2 on; norms before or after each half; in some sizes narrower
// embeddings, projected to the model's width.
//
// Source   Zhang 2022; tensors as transformers' OPTModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kOptFamily;
namespace {

constexpr std::array<std::string_view, 3> kOptPrefixes = {"model.decoder.", "decoder.", ""};
constexpr double kOptEpsilon = 1e-5;
constexpr std::int64_t kOptPositionOffset = 2;

struct OptConfig {
  StackSizes sizes;
  std::int64_t embedding_dim = 0;
  ActivationKind activation = ActivationKind::kRelu;
  HasBias bias = HasBias::kYes;
  bool has_norm_weights = true;
  bool is_normed_before = true;
  bool has_final_norm = true;
};

NormNeed Norm(const std::string& name, const OptConfig& config) {
  NormNeed norm = LayerNorm(name, config.sizes.model_dim, kOptEpsilon);
  if (!config.has_norm_weights) {
    norm.weight.name.clear();
    norm.bias.reset();
  }
  return norm;
}

NormPlaces Places(const std::string& name, const OptConfig& config) {
  NormPlaces places;
  (config.is_normed_before ? places.before : places.after) = Norm(name, config);
  return places;
}

LayerDescription OptLayer(std::int64_t index, const OptConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = config.sizes.model_dim;
  const auto part = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, config.bias);
  };
  LayerDescription layer;
  layer.attention_norm = Places(prefix + "self_attn_layer_norm", config);
  layer.query_key_value = Product({part(attention + "q_proj", width, width),
                                   part(attention + "k_proj", width, width),
                                   part(attention + "v_proj", width, width)});
  layer.output = Product({part(attention + "out_proj", width, width)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = true};
  layer.mlp_norm = Places(prefix + "final_layer_norm", config);
  layer.mlp_up = Product({part(prefix + "fc1", width, config.sizes.inner)});
  layer.mlp_down = Product({part(prefix + "fc2", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

Result<OptConfig> ReadOpt(const JsonObject& json) {
  HEADSCOPE_TRY(const auto sizes, ReadSizes(json, {.inner = "ffn_dim", .default_positions = 2048}));
  HEADSCOPE_TRY(const auto embedding_dim,
                json.Integer("word_embed_proj_dim", 1, kMaxWidth, sizes.model_dim));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "activation_function", "relu"));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "enable_bias", true));
  HEADSCOPE_TRY(const auto has_norm_weights, json.Boolean("layer_norm_elementwise_affine", true));
  HEADSCOPE_TRY(const auto is_normed_before, json.Boolean("do_layer_norm_before", true));
  HEADSCOPE_TRY(const auto has_no_final_norm, json.Boolean("_remove_final_layer_norm", false));
  return OptConfig{.sizes = sizes,
                   .embedding_dim = embedding_dim,
                   .activation = activation,
                   .bias = bias,
                   .has_norm_weights = has_norm_weights,
                   .is_normed_before = is_normed_before,
                   .has_final_norm = is_normed_before && !has_no_final_norm};
}

Result<ModelDescription> DescribeOpt(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadOpt(json));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kOptFamily.id, sizes, "embed_tokens.weight");
  model.ties_embeddings = is_tied;
  model.position_scheme = PositionScheme::kLearned;
  model.token_embedding.shape = {sizes.vocabulary, config.embedding_dim};
  if (config.embedding_dim != sizes.model_dim) {
    model.embedding_projection =
        Product({MatrixPart("project_in", config.embedding_dim, sizes.model_dim, HasBias::kNo)});
  }
  model.output_layer = OutputNamed("lm_head", model);
  if (config.embedding_dim != sizes.model_dim) {
    model.output_layer->projection =
        Product({MatrixPart("project_out", sizes.model_dim, config.embedding_dim, HasBias::kNo)});
  }
  model.position_embedding =
      TensorNeed{"embed_positions.weight", {sizes.positions + kOptPositionOffset, sizes.model_dim}};
  model.position_offset = kOptPositionOffset;
  if (config.has_final_norm) {
    model.final_norm = Norm("final_layer_norm", config);
  }
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(OptLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kOptFamily = {
    .id = "opt",
    .describe = DescribeOpt,
    .prefixes = kOptPrefixes,
    .example = R"({"model_type": "opt", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "ffn_dim": 10, "word_embed_proj_dim": 8,
                   "do_layer_norm_before": false, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
