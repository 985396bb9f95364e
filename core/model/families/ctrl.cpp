// CTRL: sinusoidal positions, embeddings times sqrt(d), a norm before each half.
//
// Source   Keskar 2019; tensors as transformers' CTRLModel names them, matrices [out, in].
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kCtrlFamily;
namespace {

constexpr std::array<std::string_view, 2> kCtrlPrefixes = {"transformer.", ""};

LayerDescription CtrlLayer(std::int64_t index, const StackSizes& sizes, double epsilon) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::string attention = prefix + "multi_head_attention.";
  const std::int64_t width = sizes.model_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "layernorm1", width, epsilon));
  layer.query_key_value = Product({part(attention + "Wq", width, width),
                                   part(attention + "Wk", width, width),
                                   part(attention + "Wv", width, width)});
  layer.output = Product({part(attention + "dense", width, width)});
  layer.rule = {.scale = UsualScale(sizes.head_dim), .causal = true};
  layer.mlp_norm = NormBefore(LayerNorm(prefix + "layernorm2", width, epsilon));
  layer.mlp_up = Product({part(prefix + "ffn.0", width, sizes.inner)});
  layer.mlp_down = Product({part(prefix + "ffn.2", sizes.inner, width)});
  layer.activation = ActivationKind::kRelu;
  return layer;
}

Result<ModelDescription> DescribeCtrl(const JsonObject& json) {
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.layers = "n_layer",
                           .heads = "n_head",
                           .model_dim = "n_embd",
                           .inner = "dff",
                           .positions = "n_positions"}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-6));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  ModelDescription model = StartDescription(kCtrlFamily.id, sizes, "w.weight");
  model.ties_embeddings = is_tied;
  model.position_scheme = PositionScheme::kSinusoidal;
  model.embedding_scale = std::sqrt(static_cast<double>(sizes.model_dim));
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = LayerNorm("layernorm", sizes.model_dim, epsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(CtrlLayer(layer, sizes, epsilon));
  }
  return model;
}

}  // namespace

const Family kCtrlFamily = {
    .id = "ctrl",
    .describe = DescribeCtrl,
    .prefixes = kCtrlPrefixes,
    .example = R"({"model_type": "ctrl", "n_layer": 3, "n_head": 3, "n_embd": 12, "dff": 10,
                   "n_positions": 16, "vocab_size": 11})",
};

}  // namespace headscope
