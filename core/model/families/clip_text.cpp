// The text half of CLIP and of types laid out like it: norms before each half and at the end, learned
// positions; each token sees those before it, in SigLIP all.
//
// Source   Radford 2021; Zhai 2023 (SigLIP); tensors as transformers' CLIPTextModel names them, matrices
//          [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kClipTextFamily;
namespace {

constexpr std::array<std::string_view, 5> kClipPrefixes = {
    "text_model.", "clip.text_model.", "owlvit.text_model.", "owlv2.text_model.", ""};

LayerDescription ClipLayer(std::int64_t index,
                           const StackSizes& sizes,
                           double epsilon,
                           ActivationKind activation) {
  const std::string prefix = fmt::format("encoder.layers.{}.", index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = sizes.model_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm.before = LayerNorm(prefix + "layer_norm1", width, epsilon);
  layer.query_key_value = Product({part(attention + "q_proj", width, width),
                                   part(attention + "k_proj", width, width),
                                   part(attention + "v_proj", width, width)});
  layer.output = Product({part(attention + "out_proj", width, width)});
  layer.rule = {.scale = UsualScale(sizes.head_dim), .causal = true};
  layer.mlp_norm.before = LayerNorm(prefix + "layer_norm2", width, epsilon);
  layer.mlp_up = Product({part(prefix + "mlp.fc1", width, sizes.inner)});
  layer.mlp_down = Product({part(prefix + "mlp.fc2", sizes.inner, width)});
  layer.activation = activation;
  return layer;
}

Result<ModelDescription> DescribeClipText(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_siglip = type.starts_with("siglip");
  const bool is_owl = type.starts_with("owl");
  const bool is_group = type == "groupvit_text_model";
  // Folders of two halves name only what is not as usual.
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.default_layers = 12,
                           .default_model_dim = is_siglip  ? 768
                                                : is_group ? 256
                                                           : 512,
                           .default_inner = is_siglip  ? 3072
                                            : is_group ? 1024
                                                       : 2048,
                           .default_heads = is_siglip  ? 12
                                            : is_group ? 4
                                                       : 8,
                           .default_vocabulary = is_siglip ? 32'000 : 49'408,
                           .default_positions = is_siglip ? 64
                                                : is_owl  ? 16
                                                          : 77}));
  HEADSCOPE_TRY(const auto epsilon,
                json.Number("layer_norm_eps", 0.0, 1000.0, is_siglip ? 1e-6 : 1e-5));
  HEADSCOPE_TRY(const auto activation,
                ReadActivation(json, "hidden_act", is_siglip ? "gelu_pytorch_tanh" : "quick_gelu"));
  ModelDescription model =
      StartDescription(kClipTextFamily.id, sizes, "embeddings.token_embedding.weight");
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding =
      TensorNeed{"embeddings.position_embedding.weight", {sizes.positions, sizes.model_dim}};
  model.final_norm = LayerNorm("final_layer_norm", sizes.model_dim, epsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(ClipLayer(layer, sizes, epsilon, activation));
    model.layer.back().rule.causal = !is_siglip;
  }
  model.causal = !is_siglip;
  if (is_siglip) {
    model.unread = {"head."};
  }
  return model;
}

}  // namespace

const Family kClipTextFamily = {
    .id = "clip_text_model",
    .other_types =
        "clipseg_text_model groupvit_text_model metaclip_2_text_model owlv2_text_model "
        "owlvit_text_model siglip2_text_model siglip_text_model xclip_text_model",
    .describe = DescribeClipText,
    .prefixes = kClipPrefixes,
    .example = R"({"model_type": "clip_text_model", "num_hidden_layers": 3,
                   "num_attention_heads": 3, "hidden_size": 12, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
