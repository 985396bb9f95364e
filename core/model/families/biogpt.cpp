// BioGPT and XGLM: norms before the halves, embeddings times sqrt(d), positions from row 2 on:
// learned, in XGLM sines as fairseq spaces them.
//
// Source   Luo 2022; Lin 2022; tensors as transformers' classes name them, matrices [out, in].
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kBiogptFamily;
namespace {

constexpr std::array<std::string_view, 3> kBiogptPrefixes = {"biogpt.", "model.", ""};
constexpr double kBiogptEpsilon = 1e-5;
constexpr std::int64_t kBiogptOffset = 2;

LayerDescription BiogptLayer(std::int64_t index,
                             const StackSizes& sizes,
                             ActivationKind activation) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = sizes.model_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm =
      NormBefore(LayerNorm(prefix + "self_attn_layer_norm", width, kBiogptEpsilon));
  layer.query_key_value = Product({part(attention + "q_proj", width, width),
                                   part(attention + "k_proj", width, width),
                                   part(attention + "v_proj", width, width)});
  layer.output = Product({part(attention + "out_proj", width, width)});
  layer.rule = {.scale = UsualScale(sizes.head_dim), .causal = true};
  layer.mlp_norm = NormBefore(LayerNorm(prefix + "final_layer_norm", width, kBiogptEpsilon));
  layer.mlp_up = Product({part(prefix + "fc1", width, sizes.inner)});
  layer.mlp_down = Product({part(prefix + "fc2", sizes.inner, width)});
  layer.activation = activation;
  return layer;
}

Result<ModelDescription> DescribeBiogpt(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_xglm = type == "xglm";
  SizeKeys keys{.default_positions = is_xglm ? 2048 : 1024};
  if (is_xglm) {
    keys.layers = "num_layers";
    keys.heads = "attention_heads";
    keys.model_dim = "d_model";
    keys.inner = "ffn_dim";
  }
  HEADSCOPE_TRY(const auto sizes, ReadSizes(json, keys));
  HEADSCOPE_TRY(const auto activation,
                ReadActivation(json, is_xglm ? "activation_function" : "hidden_act", "gelu"));
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("scale_embedding", true));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  ModelDescription model = StartDescription(kBiogptFamily.id, sizes, "embed_tokens.weight");
  model.ties_embeddings = is_tied;
  model.position_offset = kBiogptOffset;
  model.position_scheme = is_xglm ? PositionScheme::kFairseqSinusoidal : PositionScheme::kLearned;
  if (is_xglm) {
    model.unread = {"embed_positions.weights"};
  } else {
    model.position_embedding =
        TensorNeed{"embed_positions.weight", {sizes.positions + kBiogptOffset, sizes.model_dim}};
  }
  if (is_scaled) {
    model.embedding_scale = std::sqrt(static_cast<double>(sizes.model_dim));
  }
  model.output_layer = OutputNamed(is_xglm ? "lm_head" : "output_projection", model);
  model.final_norm = LayerNorm("layer_norm", sizes.model_dim, kBiogptEpsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(BiogptLayer(layer, sizes, activation));
  }
  return model;
}

}  // namespace

const Family kBiogptFamily = {
    .id = "biogpt",
    .other_types = "xglm",
    .describe = DescribeBiogpt,
    .prefixes = kBiogptPrefixes,
    .example = R"({"model_type": "biogpt", "num_hidden_layers": 3, "num_attention_heads": 3,
                   "hidden_size": 12, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
