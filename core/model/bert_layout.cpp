#include "core/model/bert_layout.h"

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/family_kit.h"

namespace headscope {
namespace {

struct Config {
  StackSizes sizes;
  std::int64_t token_types = 2;
  double epsilon = 1e-12;
  ActivationKind activation = ActivationKind::kGelu;
  bool is_causal = false;
  bool is_tied = true;
};

Status RefuseOtherKinds(const JsonObject& json) {
  HEADSCOPE_TRY(const auto positions, json.String("position_embedding_type", "absolute"));
  if (positions != "absolute") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"position_embedding_type\" is {}, expected \"absolute\"; other "
                            "kinds of positions do not open",
                            json.name(),
                            Quoted(positions)));
  }
  HEADSCOPE_TRY(const auto has_cross_attention, json.Boolean("add_cross_attention", false));
  if (has_cross_attention) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"add_cross_attention\" is true, expected false; one that reads "
                            "an encoder does not open",
                            json.name()));
  }
  return {};
}

Result<Config> Read(const JsonObject& json) {
  HEADSCOPE_TRY(RefuseOtherKinds(json));
  HEADSCOPE_TRY(const auto sizes, ReadSizes(json, SizeKeys{.default_positions = 512}));
  HEADSCOPE_TRY(const auto token_types, json.Integer("type_vocab_size", 1, kMaxVocabulary, 2));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, 1e-12));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "hidden_act", "gelu"));
  HEADSCOPE_TRY(const auto is_causal, json.Boolean("is_decoder", false));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  return Config{.sizes = sizes,
                .token_types = token_types,
                .epsilon = epsilon,
                .activation = activation,
                .is_causal = is_causal,
                .is_tied = is_tied};
}

LayerDescription Layer(std::int64_t index, const Config& config) {
  const std::string prefix = fmt::format("encoder.layer.{}.", index);
  const std::string attention = prefix + "attention.";
  const std::int64_t width = config.sizes.model_dim;
  const auto linear = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm.after = LayerNorm(attention + "output.LayerNorm", width, config.epsilon);
  layer.query_key_value = Product({linear(attention + "self.query", width, width),
                                   linear(attention + "self.key", width, width),
                                   linear(attention + "self.value", width, width)});
  layer.output = Product({linear(attention + "output.dense", width, width)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = config.is_causal};
  layer.mlp_norm.after = LayerNorm(prefix + "output.LayerNorm", width, config.epsilon);
  layer.mlp_up = Product({linear(prefix + "intermediate.dense", width, config.sizes.inner)});
  layer.mlp_down = Product({linear(prefix + "output.dense", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

}  // namespace

Result<ModelDescription> DescribeBertLayout(const JsonObject& json, std::string_view family) {
  HEADSCOPE_TRY(const auto config, Read(json));
  const StackSizes& sizes = config.sizes;
  const std::int64_t width = sizes.model_dim;
  ModelDescription model = StartDescription(family, sizes, "embeddings.word_embeddings.weight");
  model.ties_embeddings = config.is_tied;
  model.causal = config.is_causal;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding =
      TensorNeed{"embeddings.position_embeddings.weight", {sizes.positions, width}};
  model.token_types = config.token_types;
  model.token_type_embedding =
      TensorNeed{"embeddings.token_type_embeddings.weight", {config.token_types, width}};
  model.embedding_norm = LayerNorm("embeddings.LayerNorm", width, config.epsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(Layer(layer, config));
  }
  return model;
}

}  // namespace headscope
