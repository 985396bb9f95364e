// XLM and FlauBERT: an encoder with learned positions, normed after each half and after the
// embeddings; some FlauBERTs norm before each half.
//
// Source   Lample 2019; Le 2020; tensors as transformers' XLMModel names them, matrices [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kXlmFamily;
namespace {

constexpr std::array<std::string_view, 2> kXlmPrefixes = {"transformer.", ""};
// Embeddings of languages: a text without one has none added.
constexpr const char* kLanguages = "lang_embeddings";

struct XlmConfig {
  StackSizes sizes;
  double epsilon = 1e-12;
  ActivationKind activation = ActivationKind::kGelu;
  bool is_normed_before = false;
  bool is_causal = false;
};

LayerDescription XlmLayer(std::int64_t index, const XlmConfig& config) {
  const std::string attention = fmt::format("attentions.{}.", index);
  const std::string mlp = fmt::format("ffns.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const auto part = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  const auto norms = [&](const char* name) {
    NormPlaces places;
    (config.is_normed_before ? places.before : places.after) =
        LayerNorm(fmt::format("{}.{}", name, index), width, config.epsilon);
    return places;
  };
  LayerDescription layer;
  layer.attention_norm = norms("layer_norm1");
  layer.query_key_value = Product({part(attention + "q_lin", width, width),
                                   part(attention + "k_lin", width, width),
                                   part(attention + "v_lin", width, width)});
  layer.output = Product({part(attention + "out_lin", width, width)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = config.is_causal};
  layer.mlp_norm = norms("layer_norm2");
  layer.mlp_up = Product({part(mlp + "lin1", width, config.sizes.inner)});
  layer.mlp_down = Product({part(mlp + "lin2", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

Result<XlmConfig> ReadXlm(const JsonObject& json) {
  HEADSCOPE_TRY(auto sizes,
                ReadSizes(json,
                          {.layers = "n_layers",
                           .heads = "n_heads",
                           .model_dim = "emb_dim",
                           .inner = "",
                           .vocabulary = json.Has("vocab_size") ? "vocab_size" : "n_words",
                           .default_positions = 512,
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, 1e-12));
  HEADSCOPE_TRY(const auto is_gelu, json.Boolean("gelu_activation", true));
  HEADSCOPE_TRY(const auto is_normed_before, json.Boolean("pre_norm", false));
  HEADSCOPE_TRY(const auto is_causal, json.Boolean("causal", false));
  return XlmConfig{.sizes = sizes,
                   .epsilon = epsilon,
                   .activation = is_gelu ? ActivationKind::kGelu : ActivationKind::kRelu,
                   .is_normed_before = is_normed_before,
                   .is_causal = is_causal};
}

Result<ModelDescription> DescribeXlm(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadXlm(json));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kXlmFamily.id, sizes, "embeddings.weight");
  model.ties_embeddings = is_tied;
  model.causal = config.is_causal;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding =
      TensorNeed{"position_embeddings.weight", {sizes.positions, sizes.model_dim}};
  model.embedding_norm = LayerNorm("layer_norm_emb", sizes.model_dim, config.epsilon);
  model.unread = {kLanguages};
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(XlmLayer(layer, config));
  }
  return model;
}

}  // namespace

const Family kXlmFamily = {
    .id = "xlm",
    .other_types = "flaubert",
    .describe = DescribeXlm,
    .prefixes = kXlmPrefixes,
    .example = R"({"model_type": "xlm", "n_layers": 3, "n_heads": 3, "emb_dim": 12,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
