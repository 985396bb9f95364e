#include "core/model/bart_layout.h"

#include <cmath>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/generation_file.h"

namespace headscope {
namespace {

constexpr double kEpsilon = 1e-5;

struct StackConfig {
  std::string name;  // "encoder."
  StackSizes sizes;
  ActivationKind activation = ActivationKind::kGelu;
  double embedding_scale = 1.0;
  bool is_normed_before = false;
  bool is_decoder = false;
  bool has_cross = false;
};

LinearNeed::Matrix Biased(const std::string& name, std::int64_t in, std::int64_t out) {
  return MatrixPart(name, in, out, HasBias::kYes);
}

NormPlaces Norms(const std::string& name, const StackConfig& config) {
  NormPlaces places;
  (config.is_normed_before ? places.before : places.after) =
      LayerNorm(name, config.sizes.model_dim, kEpsilon);
  return places;
}

CrossDescription Cross(const std::string& prefix, const StackConfig& config) {
  const std::string attention = prefix + "encoder_attn.";
  const std::int64_t width = config.sizes.model_dim;
  CrossDescription cross;
  cross.norm = Norms(prefix + "encoder_attn_layer_norm", config);
  cross.query = Product({Biased(attention + "q_proj", width, width)});
  cross.key_value = Product(
      {Biased(attention + "k_proj", width, width), Biased(attention + "v_proj", width, width)});
  cross.output = Product({Biased(attention + "out_proj", width, width)});
  cross.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = false};
  return cross;
}

LayerDescription Layer(std::int64_t index, const StackConfig& config) {
  const std::string prefix = fmt::format("{}layers.{}.", config.name, index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = config.sizes.model_dim;
  LayerDescription layer;
  layer.attention_norm = Norms(prefix + "self_attn_layer_norm", config);
  layer.query_key_value = Product({Biased(attention + "q_proj", width, width),
                                   Biased(attention + "k_proj", width, width),
                                   Biased(attention + "v_proj", width, width)});
  layer.output = Product({Biased(attention + "out_proj", width, width)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = config.is_decoder};
  if (config.has_cross) {
    layer.cross = Cross(prefix, config);
  }
  layer.mlp_norm = Norms(prefix + "final_layer_norm", config);
  layer.mlp_up = Product({Biased(prefix + "fc1", width, config.sizes.inner)});
  layer.mlp_down = Product({Biased(prefix + "fc2", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

ModelDescription Stack(const StackConfig& config, const BartLayout& layout) {
  const StackSizes& sizes = config.sizes;
  ModelDescription stack =
      StartDescription(layout.family, sizes, config.name + "embed_tokens.weight");
  stack.causal = config.is_decoder;
  stack.embedding_scale = config.embedding_scale;
  stack.position_scheme = layout.positions;
  if (layout.positions == PositionScheme::kSinusoidal) {
    stack.stored_sinusoids =
        TensorNeed{config.name + "embed_positions.weight", {sizes.positions, sizes.model_dim}};
  } else {
    stack.position_offset = layout.position_offset;
  }
  if (layout.positions == PositionScheme::kFairseqSinusoidal) {
    stack.unplaced_id = static_cast<std::int32_t>(layout.position_offset - 1);
    stack.unread = {"embed_positions.weights"};
    stack.stored_sinusoids =
        TensorNeed{config.name + "embed_positions.weight",
                   {sizes.positions + layout.position_offset, sizes.model_dim}};
  }
  if (layout.positions == PositionScheme::kLearned) {
    stack.position_embedding =
        TensorNeed{config.name + "embed_positions.weight",
                   {sizes.positions + layout.position_offset, sizes.model_dim}};
  }
  if (layout.has_embedding_norm) {
    stack.embedding_norm =
        LayerNorm(config.name + "layernorm_embedding", sizes.model_dim, kEpsilon);
    stack.is_placed_last = layout.is_placed_last && config.is_decoder;
  }
  if (layout.is_normed_before) {
    stack.final_norm = LayerNorm(config.name + "layer_norm", sizes.model_dim, kEpsilon);
  }
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    stack.layer.push_back(Layer(layer, config));
  }
  return stack;
}

// Reads the encoder, or the decoder with its own numbers of layers, heads and inner columns.
Result<StackConfig> ReadStack(const JsonObject& json,
                              const std::string& name,
                              const BartLayout& layout) {
  const std::string layers = name + "_layers";
  const std::string heads = name + "_attention_heads";
  const std::string inner = name + "_ffn_dim";
  HEADSCOPE_TRY(
      const auto sizes,
      ReadSizes(json,
                SizeKeys{.layers = layers,
                         .heads = heads,
                         .model_dim = "d_model",
                         .inner = inner,
                         .positions = name == "decoder" ? layout.decoder_positions
                                                        : layout.encoder_positions,
                         .vocabulary = name == "decoder" && !layout.decoder_vocabulary.empty()
                                           ? layout.decoder_vocabulary
                                           : layout.encoder_vocabulary}));
  HEADSCOPE_TRY(const auto activation,
                ReadActivation(json, "activation_function", layout.activation));
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("scale_embedding", layout.is_scaled));
  return StackConfig{
      .name = name + ".",
      .sizes = sizes,
      .activation = activation,
      .embedding_scale = is_scaled ? std::sqrt(static_cast<double>(sizes.model_dim)) : 1.0,
      .is_normed_before = layout.is_normed_before,
      .is_decoder = name == "decoder"};
}

// Sets the names that may hold a tied tensor instead of its own. `shared` always may: untied models
// saved by older programs hold only that one.
void Tie(bool is_shared, bool is_tied, ModelDescription* model) {
  constexpr const char* kShared = "shared.weight";
  TensorNeed& encoder = model->token_embedding;
  TensorNeed& decoder = model->decoder->token_embedding;
  TensorNeed& output = model->generation->output;
  if (is_shared) {
    encoder.stand_ins = {kShared, decoder.name};
    decoder.stand_ins = {kShared, encoder.name};
  }
  if (is_shared && is_tied) {
    encoder.stand_ins.push_back(output.name);
    decoder.stand_ins.push_back(output.name);
    output.stand_ins = {kShared, decoder.name, encoder.name};
  } else if (is_tied) {
    decoder.stand_ins = {output.name};
    output.stand_ins = {decoder.name};
  }
}

}  // namespace

Result<ModelDescription> DescribeBartLayout(const JsonObject& json, const BartLayout& layout) {
  HEADSCOPE_TRY(auto decoder, ReadStack(json, "decoder", layout));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", layout.is_tied));
  HEADSCOPE_TRY(const auto has_both, json.Boolean("is_encoder_decoder", true));
  HEADSCOPE_TRY(const auto is_decoder, json.Boolean("is_decoder", false));
  if (is_decoder && !has_both) {
    ModelDescription model = Stack(decoder, layout);
    model.ties_embeddings = is_tied;
    if (is_tied) {
      model.token_embedding.stand_ins = {"lm_head.weight"};
    }
    return model;
  }
  HEADSCOPE_TRY(const auto encoder, ReadStack(json, "encoder", layout));
  HEADSCOPE_TRY(const auto is_shared, json.Boolean("share_encoder_decoder_embeddings", true));
  const bool has_one_vocabulary =
      layout.decoder_vocabulary.empty() && (is_shared || !layout.may_be_unshared);
  if (!has_one_vocabulary && layout.decoder_vocabulary.empty()) {
    HEADSCOPE_TRY(const auto vocabulary,
                  json.Integer("decoder_vocab_size", 1, kMaxVocabulary, decoder.sizes.vocabulary));
    decoder.sizes.vocabulary = vocabulary;
  }
  decoder.has_cross = true;
  ModelDescription model = Stack(encoder, layout);
  model.ties_embeddings = is_tied;
  model.decoder = Stack(decoder, layout);
  model.has_target_vocabulary = !has_one_vocabulary;
  HEADSCOPE_TRY(ReadGeneration(json, layout.default_start, layout.default_end, &model));
  model.generation->output.name = layout.output;
  model.generation->bias = TensorNeed{"final_logits_bias", {1, model.decoder->vocabulary}};
  Tie(has_one_vocabulary, is_tied, &model);
  return model;
}

}  // namespace headscope
