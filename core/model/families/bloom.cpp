// BLOOM: no positions but a slope on the scores (ALiBi), a norm after the embeddings and before each
// half, one matrix with queries, keys and values head by head.
//
// Source   Scao 2022; tensors as transformers' BloomModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kBloomFamily;
namespace {

constexpr std::array<std::string_view, 2> kBloomPrefixes = {"transformer.", ""};

LayerDescription BloomLayer(std::int64_t index, const StackSizes& sizes, double epsilon) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::string attention = prefix + "self_attention.";
  const std::int64_t width = sizes.model_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return Product({MatrixPart(name, in, out, HasBias::kYes)});
  };
  LayerDescription layer;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "input_layernorm", width, epsilon));
  layer.query_key_value = part(attention + "query_key_value", width, 3 * width);
  layer.query_key_value.fused_heads = sizes.heads;
  layer.output = part(attention + "dense", width, width);
  layer.mlp_norm = NormBefore(LayerNorm(prefix + "post_attention_layernorm", width, epsilon));
  layer.mlp_up = part(prefix + "mlp.dense_h_to_4h", width, sizes.inner);
  layer.mlp_down = part(prefix + "mlp.dense_4h_to_h", sizes.inner, width);
  layer.activation = ActivationKind::kGeluTanh;
  return layer;
}

Result<ModelDescription> DescribeBloom(const JsonObject& json) {
  const auto either = [&](std::string_view key, std::string_view other) {
    return json.Has(key) ? key : other;
  };
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.layers = either("n_layer", "num_hidden_layers"),
                           .heads = either("n_head", "num_attention_heads"),
                           .model_dim = either("hidden_size", "n_embed"),
                           .inner = "",
                           .positions = "",
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto adds_normed,
                json.Boolean("apply_residual_connection_post_layernorm", false));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  if (adds_normed) {
    return json.Refuse("apply_residual_connection_post_layernorm",
                       "false; halves that are added to their norm do not open");
  }
  ModelDescription model = StartDescription(kBloomFamily.id, sizes, "word_embeddings.weight");
  model.ties_embeddings = is_tied;
  model.output_layer = OutputNamed("lm_head", model);
  model.embedding_norm = LayerNorm("word_embeddings_layernorm", sizes.model_dim, epsilon);
  model.final_norm = LayerNorm("ln_f", sizes.model_dim, epsilon);
  const auto bias = AlibiBias(sizes.heads, 1.0);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(BloomLayer(layer, sizes, epsilon));
    model.layer.back().rule = {.scale = UsualScale(sizes.head_dim), .causal = true, .bias = bias};
  }
  return model;
}

}  // namespace

const Family kBloomFamily = {
    .id = "bloom",
    .describe = DescribeBloom,
    .prefixes = kBloomPrefixes,
    .example = R"({"model_type": "bloom", "n_layer": 3, "n_head": 3, "hidden_size": 12,
                   "vocab_size": 11})",
};

}  // namespace headscope
