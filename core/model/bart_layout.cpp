#include "core/model/bart_layout.h"

#include <cmath>

#include <fmt/format.h>

#include "core/model/family_parts.h"

namespace headscope {
namespace {

constexpr double kEpsilon = 1e-5;
constexpr std::int64_t kPositionOffset = 2;

struct StackConfig {
  std::string name;  // "encoder."
  StackSizes sizes;
  ActivationKind activation = ActivationKind::kGelu;
  double embedding_scale = 1.0;
  bool is_decoder = false;
};

LinearNeed::Part Biased(const std::string& name, std::int64_t in, std::int64_t out) {
  return MatrixPart(name, in, out, HasBias::kYes);
}

CrossDescription Cross(const std::string& prefix, const StackSizes& sizes) {
  const std::string attention = prefix + "encoder_attn.";
  const std::int64_t width = sizes.model_dim;
  CrossDescription cross;
  cross.norm.after = LayerNorm(prefix + "encoder_attn_layer_norm", width, kEpsilon);
  cross.query = Product({Biased(attention + "q_proj", width, width)});
  cross.key_value = Product(
      {Biased(attention + "k_proj", width, width), Biased(attention + "v_proj", width, width)});
  cross.output = Product({Biased(attention + "out_proj", width, width)});
  cross.rule = {.scale = UsualScale(sizes.head_dim), .causal = false};
  return cross;
}

LayerDescription Layer(std::int64_t index, const StackConfig& config) {
  const std::string prefix = fmt::format("{}layers.{}.", config.name, index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = config.sizes.model_dim;
  LayerDescription layer;
  layer.attention_norm.after = LayerNorm(prefix + "self_attn_layer_norm", width, kEpsilon);
  layer.query_key_value = Product({Biased(attention + "q_proj", width, width),
                                   Biased(attention + "k_proj", width, width),
                                   Biased(attention + "v_proj", width, width)});
  layer.output = Product({Biased(attention + "out_proj", width, width)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = config.is_decoder};
  if (config.is_decoder) {
    layer.cross = Cross(prefix, config.sizes);
  }
  layer.mlp_norm.after = LayerNorm(prefix + "final_layer_norm", width, kEpsilon);
  layer.mlp_up = Product({Biased(prefix + "fc1", width, config.sizes.inner)});
  layer.mlp_down = Product({Biased(prefix + "fc2", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

StackDescription Stack(const StackConfig& config,
                       const BartLayout& layout,
                       std::string token_embedding) {
  const StackSizes& sizes = config.sizes;
  StackDescription stack = StartDescription(layout.family, sizes, std::move(token_embedding));
  stack.causal = config.is_decoder;
  stack.embedding_scale = config.embedding_scale;
  if (layout.has_sinusoidal_positions) {
    stack.position_scheme = PositionScheme::kSinusoidal;
  } else {
    stack.position_scheme = PositionScheme::kLearned;
    stack.position_offset = kPositionOffset;
    stack.position_embedding = TensorNeed{config.name + "embed_positions.weight",
                                          {sizes.positions + kPositionOffset, sizes.model_dim}};
  }
  if (layout.has_embedding_norm) {
    stack.embedding_norm =
        LayerNorm(config.name + "layernorm_embedding", sizes.model_dim, kEpsilon);
  }
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    stack.layer.push_back(Layer(layer, config));
  }
  return stack;
}

// The encoder, and the decoder with its own numbers of layers, heads and inner columns.
Result<StackConfig> ReadStack(const JsonObject& json, const std::string& name) {
  const std::string layers = name + "_layers";
  const std::string heads = name + "_attention_heads";
  const std::string inner = name + "_ffn_dim";
  const auto sizes = ReadSizes(
      json, SizeKeys{.layers = layers, .heads = heads, .model_dim = "d_model", .inner = inner});
  HEADSCOPE_TRY(sizes);
  const auto activation = ReadActivation(json, "activation_function", "gelu");
  HEADSCOPE_TRY(activation);
  const auto is_scaled = json.Boolean("scale_embedding", false);
  HEADSCOPE_TRY(is_scaled);
  return StackConfig{
      .name = name + ".",
      .sizes = *sizes,
      .activation = *activation,
      .embedding_scale = *is_scaled ? std::sqrt(static_cast<double>(sizes->model_dim)) : 1.0,
      .is_decoder = name == "decoder"};
}

}  // namespace

Result<ModelDescription> DescribeBartLayout(const JsonObject& json, const BartLayout& layout) {
  const auto encoder = ReadStack(json, "encoder");
  HEADSCOPE_TRY(encoder);
  auto decoder = ReadStack(json, "decoder");
  HEADSCOPE_TRY(decoder);
  const auto is_tied = json.Boolean("tie_word_embeddings", true);
  HEADSCOPE_TRY(is_tied);
  const auto is_shared = json.Boolean("share_encoder_decoder_embeddings", true);
  HEADSCOPE_TRY(is_shared);
  const auto vocabulary =
      json.Integer("decoder_vocab_size", 1, kMaxVocabulary, decoder->sizes.vocabulary);
  HEADSCOPE_TRY(vocabulary);
  if (!*is_shared) {
    decoder->sizes.vocabulary = *vocabulary;
  }
  ModelDescription model;
  static_cast<StackDescription&>(model) =
      Stack(*encoder, layout, *is_shared ? "shared.weight" : "encoder.embed_tokens.weight");
  model.family = layout.family;
  model.ties_embeddings = *is_tied;
  model.decoder =
      Stack(*decoder, layout, *is_shared ? "shared.weight" : "decoder.embed_tokens.weight");
  HEADSCOPE_TRY(ReadGeneration(json, layout.default_start, layout.default_end, &model));
  model.generation->bias = TensorNeed{"final_logits_bias", {1, model.decoder->vocabulary}};
  return model;
}

}  // namespace headscope
