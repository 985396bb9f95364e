// Nomic BERT and Jina embeddings 3: BERT's norms with rotary positions; one matrix has queries, keys
// and values. Nomic's MLP is gated and has no biases.
//
// Source   Nussbaum 2024; Sturua 2024; tensors as the files on the Hub name them, matrices [out, in].
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kNomicBertFamily;
namespace {

constexpr std::array<std::string_view, 4> kNomicPrefixes = {
    "nomic_bert.", "jina_embeddings_v3.", "roberta.", ""};

struct NomicConfig {
  StackSizes sizes;
  std::int64_t token_types = 2;
  double epsilon = 1e-12;
  ActivationKind activation = ActivationKind::kSilu;
  bool is_jina = false;
};

LayerDescription NomicLayer(std::int64_t index, const NomicConfig& config) {
  const std::string prefix = fmt::format("encoder.layers.{}.", index);
  const std::string attention = prefix + (config.is_jina ? "mixer." : "attn.");
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  const auto part = [&](const std::string& name, std::int64_t in, std::int64_t out) {
    return Product({MatrixPart(name, in, out, config.is_jina ? HasBias::kYes : HasBias::kNo)});
  };
  LayerDescription layer;
  layer.attention_norm.after = LayerNorm(prefix + "norm1", width, config.epsilon);
  layer.query_key_value = part(attention + "Wqkv", width, 3 * width);
  layer.rotary = 0;
  layer.output = part(attention + "out_proj", width, width);
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = false};
  layer.mlp_norm.after = LayerNorm(prefix + "norm2", width, config.epsilon);
  layer.mlp_up = part(prefix + (config.is_jina ? "mlp.fc1" : "mlp.fc11"), width, inner);
  if (!config.is_jina) {
    layer.mlp_gate = part(prefix + "mlp.fc12", width, inner);
  }
  layer.mlp_down = part(prefix + "mlp.fc2", inner, width);
  layer.activation = config.activation;
  return layer;
}

// Nomic's own files have GPT-2's keys.
SizeKeys KeysOf(const JsonObject& json) {
  SizeKeys keys;
  if (json.Has("n_embd")) {
    keys = {.layers = "n_layer",
            .heads = "n_head",
            .model_dim = "n_embd",
            .inner = "n_inner",
            .positions = "n_positions"};
  }
  return keys;
}

Result<NomicConfig> ReadNomic(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_jina = type != kNomicBertFamily.id;
  const bool has_own_keys = json.Has("n_embd");
  HEADSCOPE_TRY(auto sizes, ReadSizes(json, KeysOf(json)));
  // Beyond these the model's own code scales its positions.
  HEADSCOPE_TRY(const auto trained,
                json.Integer("max_trained_positions", 1, kMaxPositions, sizes.positions));
  sizes.positions = std::min(sizes.positions, trained);
  HEADSCOPE_TRY(const auto token_types,
                json.Integer("type_vocab_size", 1, kMaxVocabulary, is_jina ? 1 : 2));
  HEADSCOPE_TRY(const auto epsilon,
                json.Number(has_own_keys ? "layer_norm_epsilon" : "layer_norm_eps",
                            0.0,
                            1000.0,
                            is_jina ? 1e-5 : 1e-12));
  HEADSCOPE_TRY(const auto activation,
                has_own_keys ? Result<ActivationKind>(ActivationKind::kSilu)
                             : ReadActivation(json, "hidden_act", is_jina ? "gelu" : "silu"));
  return NomicConfig{.sizes = sizes,
                     .token_types = token_types,
                     .epsilon = epsilon,
                     .activation = activation,
                     .is_jina = is_jina};
}

Result<ModelDescription> DescribeNomicBert(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadNomic(json));
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = config.sizes.head_dim,
                            .positions = config.sizes.positions,
                            .theta = config.is_jina ? 20'000.0 : 1000.0,
                            .theta_key = json.Has("n_embd") ? "rotary_emb_base" : "rope_theta"}));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  const std::int64_t width = config.sizes.model_dim;
  config.sizes.positions = rotary.positions;
  ModelDescription model =
      StartDescription(kNomicBertFamily.id, config.sizes, "embeddings.word_embeddings.weight");
  model.ties_embeddings = is_tied;
  model.causal = false;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary.rule};
  model.token_types = config.token_types;
  model.token_type_embedding =
      TensorNeed{"embeddings.token_type_embeddings.weight", {config.token_types, width}};
  model.embedding_norm = LayerNorm("emb_ln", width, config.epsilon);
  for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
    model.layer.push_back(NomicLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kNomicBertFamily = {
    .id = "nomic_bert",
    .other_types = "jina_embeddings_v3",
    .describe = DescribeNomicBert,
    .prefixes = kNomicPrefixes,
    .example = R"({"model_type": "nomic_bert", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
