// GTE: BERT with rotary positions; one matrix has queries, keys and values, one both halves of the
// gated MLP.
//
// Source   Zhang 2024; tensors as transformers' GteModel saves them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kGteFamily;
namespace {

constexpr std::array<std::string_view, 2> kGtePrefixes = {"gte.", ""};

LayerDescription GteLayer(std::int64_t index,
                          const StackSizes& sizes,
                          double epsilon,
                          ActivationKind activation) {
  const std::string prefix = fmt::format("encoder.layer.{}.", index);
  const std::int64_t width = sizes.model_dim;
  LayerDescription layer;
  layer.attention_norm.after = LayerNorm(prefix + "attn_ln", width, epsilon);
  layer.query_key_value =
      Product({MatrixPart(prefix + "attention.qkv_proj", width, 3 * width, HasBias::kYes)});
  layer.rotary = 0;
  layer.output = Product({MatrixPart(prefix + "attention.o_proj", width, width, HasBias::kYes)});
  layer.rule = {.scale = UsualScale(sizes.head_dim), .causal = false};
  layer.mlp_norm.after = LayerNorm(prefix + "mlp_ln", width, epsilon);
  const auto both = MatrixPart(prefix + "mlp.up_gate_proj", width, 2 * sizes.inner, HasBias::kNo);
  layer.mlp_up = Product({RowsOf(both, 0, sizes.inner)});
  layer.mlp_gate = Product({RowsOf(both, sizes.inner, sizes.inner)});
  layer.mlp_down =
      Product({MatrixPart(prefix + "mlp.down_proj", sizes.inner, width, HasBias::kYes)});
  layer.activation = activation;
  return layer;
}

Result<ModelDescription> DescribeGte(const JsonObject& json) {
  HEADSCOPE_TRY(auto sizes, ReadSizes(json, {.default_positions = 8192}));
  HEADSCOPE_TRY(
      const auto rotary,
      ReadRotary(json,
                 {.head_dim = sizes.head_dim, .positions = sizes.positions, .theta = 160'000.0}));
  HEADSCOPE_TRY(const auto token_types, json.Integer("type_vocab_size", 0, kMaxVocabulary, 1));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, 1e-12));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "hidden_act", "gelu"));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  sizes.positions = rotary.positions;
  ModelDescription model =
      StartDescription(kGteFamily.id, sizes, "embeddings.word_embeddings.weight");
  model.ties_embeddings = is_tied;
  model.causal = false;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary.rule};
  if (token_types > 0) {
    model.token_types = token_types;
    model.token_type_embedding =
        TensorNeed{"embeddings.token_type_embeddings.weight", {token_types, sizes.model_dim}};
  }
  model.embedding_norm = LayerNorm("embeddings.LayerNorm", sizes.model_dim, epsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(GteLayer(layer, sizes, epsilon, activation));
  }
  return model;
}

}  // namespace

const Family kGteFamily = {
    .id = "gte",
    .describe = DescribeGte,
    .prefixes = kGtePrefixes,
    .example = R"({"model_type": "gte", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
