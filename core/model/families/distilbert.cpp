// DistilBERT: BERT without token types; its sinusoidal positions, if any, are stored like learned
// ones.
//
// Source   Sanh 2019; tensors as transformers' DistilBertModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kDistilbertFamily;
namespace {

constexpr std::array<std::string_view, 2> kDistilbertPrefixes = {"distilbert.", ""};
constexpr double kDistilbertEpsilon = 1e-12;

LayerDescription DistilbertLayer(std::int64_t index,
                                 const StackSizes& sizes,
                                 ActivationKind activation) {
  const std::string prefix = fmt::format("transformer.layer.{}.", index);
  const std::int64_t width = sizes.model_dim;
  const auto linear = [&](const char* name, std::int64_t in, std::int64_t out) {
    return MatrixPart(prefix + name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm.after = LayerNorm(prefix + "sa_layer_norm", width, kDistilbertEpsilon);
  layer.query_key_value = Product({linear("attention.q_lin", width, width),
                                   linear("attention.k_lin", width, width),
                                   linear("attention.v_lin", width, width)});
  layer.output = Product({linear("attention.out_lin", width, width)});
  layer.rule = {.scale = UsualScale(sizes.head_dim), .causal = false};
  layer.mlp_norm.after = LayerNorm(prefix + "output_layer_norm", width, kDistilbertEpsilon);
  layer.mlp_up = Product({linear("ffn.lin1", width, sizes.inner)});
  layer.mlp_down = Product({linear("ffn.lin2", sizes.inner, width)});
  layer.activation = activation;
  return layer;
}

Result<ModelDescription> DescribeDistilbert(const JsonObject& json) {
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          SizeKeys{.layers = "n_layers",
                                   .heads = "n_heads",
                                   .model_dim = "dim",
                                   .inner = "hidden_dim",
                                   .default_positions = 512}));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "activation", "gelu"));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  const std::int64_t width = sizes.model_dim;
  ModelDescription model =
      StartDescription(kDistilbertFamily.id, sizes, "embeddings.word_embeddings.weight");
  model.ties_embeddings = is_tied;
  model.causal = false;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding =
      TensorNeed{"embeddings.position_embeddings.weight", {sizes.positions, width}};
  model.embedding_norm = LayerNorm("embeddings.LayerNorm", width, kDistilbertEpsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(DistilbertLayer(layer, sizes, activation));
  }
  return model;
}

}  // namespace

const Family kDistilbertFamily = {
    .id = "distilbert",
    .describe = DescribeDistilbert,
    .prefixes = kDistilbertPrefixes,
    .example = R"({"model_type": "distilbert", "n_layers": 3, "n_heads": 3, "dim": 12,
                   "hidden_dim": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
