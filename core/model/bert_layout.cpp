#include "core/model/bert_layout.h"

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/family_kit.h"

namespace headscope {
namespace {

struct Config {
  BertLayout layout;
  StackSizes sizes;
  std::int64_t token_types = 2;
  double epsilon = 1e-12;
  ActivationKind activation = ActivationKind::kGelu;
  bool is_causal = false;
  bool is_tied = true;
};

Status RefuseOtherKinds(const JsonObject& json, const BertLayout& layout) {
  HEADSCOPE_TRY(const auto positions, json.String("position_embedding_type", "absolute"));
  if (!layout.decides_positions && positions != "absolute") {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"position_embedding_type\" is {}, expected \"absolute\"; other "
                            "kinds of positions do not open",
                            json.name(),
                            Quoted(positions)));
  }
  HEADSCOPE_TRY(const auto has_cross_attention, json.Boolean("add_cross_attention", false));
  if (has_cross_attention && !layout.may_read_encoder) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"add_cross_attention\" is true, expected false; one that reads "
                            "an encoder does not open",
                            json.name()));
  }
  return {};
}

Result<Config> Read(const JsonObject& json, const BertLayout& layout) {
  HEADSCOPE_TRY(RefuseOtherKinds(json, layout));
  HEADSCOPE_TRY(const auto sizes, ReadSizes(json, SizeKeys{.default_positions = 512}));
  HEADSCOPE_TRY(const auto token_types,
                layout.has_token_types ? json.Integer("type_vocab_size", 1, kMaxVocabulary, 2)
                                       : Result<std::int64_t>(0));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_eps", 0.0, 1000.0, layout.epsilon));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "hidden_act", layout.activation));
  HEADSCOPE_TRY(const auto is_causal, json.Boolean("is_decoder", false));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  return Config{.layout = layout,
                .sizes = sizes,
                .token_types = token_types,
                .epsilon = epsilon,
                .activation = activation,
                .is_causal = is_causal,
                .is_tied = is_tied};
}

NormPlaces Norms(const std::string& name, const Config& config) {
  NormPlaces places;
  (config.layout.is_normed_before ? places.before : places.after) =
      LayerNorm(name, config.sizes.model_dim, config.epsilon);
  return places;
}

LayerDescription Layer(std::int64_t index, const Config& config) {
  const std::string prefix = fmt::format("encoder.layer.{}.", index);
  const std::string attention = prefix + "attention.";
  const std::int64_t width = config.sizes.model_dim;
  const auto linear = [](const std::string& name, std::int64_t in, std::int64_t out) {
    return MatrixPart(name, in, out, HasBias::kYes);
  };
  LayerDescription layer;
  layer.attention_norm = Norms(attention + "output.LayerNorm", config);
  layer.query_key_value = Product({linear(attention + "self.query", width, width),
                                   linear(attention + "self.key", width, width),
                                   linear(attention + "self.value", width, width)});
  layer.output = Product({linear(attention + "output.dense", width, width)});
  layer.rule = {.scale = UsualScale(config.sizes.head_dim), .causal = config.is_causal};
  layer.mlp_norm = Norms(prefix + "output.LayerNorm", config);
  layer.mlp_up = Product({linear(prefix + "intermediate.dense", width, config.sizes.inner)});
  layer.mlp_down = Product({linear(prefix + "output.dense", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

}  // namespace

Result<ModelDescription> DescribeBertLayout(const JsonObject& json, const BertLayout& layout) {
  HEADSCOPE_TRY(const auto config, Read(json, layout));
  const StackSizes& sizes = config.sizes;
  const std::int64_t width = sizes.model_dim;
  ModelDescription model =
      StartDescription(layout.family, sizes, "embeddings.word_embeddings.weight");
  model.ties_embeddings = config.is_tied;
  model.causal = config.is_causal;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding =
      TensorNeed{"embeddings.position_embeddings.weight", {sizes.positions, width}};
  if (layout.has_token_types) {
    model.token_types = config.token_types;
    model.token_type_embedding =
        TensorNeed{"embeddings.token_type_embeddings.weight", {config.token_types, width}};
  }
  if (layout.has_embedding_norm) {
    model.embedding_norm = LayerNorm("embeddings.LayerNorm", width, config.epsilon);
  }
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(Layer(layer, config));
  }
  UseOtherNames(layout.names, &model);
  if (!layout.final_norm.empty()) {
    model.final_norm = LayerNorm(std::string(layout.final_norm), width, config.epsilon);
  }
  model.unread.assign(layout.unread.begin(), layout.unread.end());
  return model;
}

Status CountFromPadding(const JsonObject& json, std::int64_t padding, ModelDescription* model) {
  const std::int64_t offset = padding + 1;
  if (offset >= model->positions) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"max_position_embeddings\" is {}, expected more than {}: the "
                            "first position is the one after \"pad_token_id\"",
                            json.name(),
                            model->positions,
                            offset));
  }
  model->position_offset = offset;
  model->positions -= offset;
  model->unplaced_id = static_cast<std::int32_t>(padding);
  return {};
}

Status CountFromPaddingToken(const JsonObject& json, std::int64_t usual, ModelDescription* model) {
  HEADSCOPE_TRY(const auto padding, json.Integer("pad_token_id", 0, model->vocabulary - 1, usual));
  return CountFromPadding(json, padding, model);
}

}  // namespace headscope
