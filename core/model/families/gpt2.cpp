// GPT-2: layer norm before each half, learned positions, queries, keys and values in one matrix.
//
// Source   Radford 2019; tensors as transformers' GPT2Model names them, matrices [in, out].
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/model/config.h"

namespace headscope {
extern const Family kGpt2Family;
namespace {

constexpr std::array<std::string_view, 2> kPrefixes = {"transformer.", ""};

struct Config {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t model_dim = 0;
  std::int64_t inner = 0;
  std::int64_t positions = 0;
  std::int64_t vocabulary = 0;
  double epsilon = 0.0;
  ActivationKind activation = ActivationKind::kGeluTanh;
  bool is_scaled = true;
  bool is_scaled_by_layer = false;
  bool is_tied = true;
};

Result<Config> Read(const JsonObject& json) {
  const auto layers = json.Integer("n_layer", 1, kMaxLayers);
  HEADSCOPE_TRY(layers);
  const auto heads = json.Integer("n_head", 1, kMaxHeads);
  HEADSCOPE_TRY(heads);
  const auto model_dim = json.Integer("n_embd", 1, kMaxWidth);
  HEADSCOPE_TRY(model_dim);
  if (*model_dim % *heads != 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"n_embd\" is {}, expected a multiple of \"n_head\", which is {}",
                            json.name(),
                            *model_dim,
                            *heads));
  }
  const auto inner = json.Integer("n_inner", 1, kMaxInnerWidth, 4 * *model_dim);
  HEADSCOPE_TRY(inner);
  const bool has_positions = json.Has("n_positions") || !json.Has("n_ctx");
  const auto positions = json.Integer(has_positions ? "n_positions" : "n_ctx", 1, kMaxPositions);
  HEADSCOPE_TRY(positions);
  const auto vocabulary = json.Integer("vocab_size", 1, kMaxVocabulary);
  HEADSCOPE_TRY(vocabulary);
  const auto epsilon = json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5);
  HEADSCOPE_TRY(epsilon);
  const auto activation = ReadActivation(json, "activation_function", "gelu_new");
  HEADSCOPE_TRY(activation);
  const auto is_scaled = json.Boolean("scale_attn_weights", true);
  HEADSCOPE_TRY(is_scaled);
  const auto is_scaled_by_layer = json.Boolean("scale_attn_by_inverse_layer_idx", false);
  HEADSCOPE_TRY(is_scaled_by_layer);
  const auto is_tied = json.Boolean("tie_word_embeddings", true);
  HEADSCOPE_TRY(is_tied);
  const auto has_cross_attention = json.Boolean("add_cross_attention", false);
  HEADSCOPE_TRY(has_cross_attention);
  if (*has_cross_attention) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"add_cross_attention\" is true, expected false; a GPT-2 that "
                            "reads an encoder does not open yet",
                            json.name()));
  }
  return Config{.layers = *layers,
                .heads = *heads,
                .model_dim = *model_dim,
                .inner = *inner,
                .positions = *positions,
                .vocabulary = *vocabulary,
                .epsilon = *epsilon,
                .activation = *activation,
                .is_scaled = *is_scaled,
                .is_scaled_by_layer = *is_scaled_by_layer,
                .is_tied = *is_tied};
}

NormNeed Norm(const std::string& name, const Config& config) {
  return {.kind = NormKind::kLayer,
          .weight = {name + ".weight", {config.model_dim}},
          .bias = TensorNeed{name + ".bias", {config.model_dim}},
          .epsilon = config.epsilon};
}

LinearNeed Linear(const std::string& name, std::int64_t in, std::int64_t out) {
  return {.layout = WeightLayout::kInOut,
          .in = in,
          .parts = {{.weight = {name + ".weight", {in, out}},
                     .bias = TensorNeed{name + ".bias", {out}}}}};
}

LayerDescription Layer(std::int64_t index, const Config& config) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::int64_t width = config.model_dim;
  double scale = 1.0;
  if (config.is_scaled) {
    const std::int64_t head_dim = width / config.heads;
    scale /= std::sqrt(static_cast<double>(head_dim));
  }
  if (config.is_scaled_by_layer) {
    scale /= static_cast<double>(index + 1);
  }
  return {.attention_norm = {.before = Norm(prefix + "ln_1", config)},
          .query_key_value = Linear(prefix + "attn.c_attn", width, 3 * width),
          .output = Linear(prefix + "attn.c_proj", width, width),
          .rule = {.scale = scale, .causal = true},
          .mlp_norm = {.before = Norm(prefix + "ln_2", config)},
          .mlp_up = Linear(prefix + "mlp.c_fc", width, config.inner),
          .mlp_gate = std::nullopt,
          .mlp_down = Linear(prefix + "mlp.c_proj", config.inner, width),
          .activation = config.activation};
}

bool Detect(std::string_view model_type) {
  return model_type == "gpt2";
}

Result<ModelDescription> Describe(const JsonObject& json) {
  const Result<Config> config = Read(json);
  HEADSCOPE_TRY(config);
  ModelDescription model;
  model.family = kGpt2Family.id;
  model.layers = config->layers;
  model.heads = config->heads;
  model.kv_heads = config->heads;
  model.model_dim = config->model_dim;
  model.head_dim = config->model_dim / config->heads;
  model.value_dim = model.head_dim;
  model.positions = config->positions;
  model.vocabulary = config->vocabulary;
  model.ties_embeddings = config->is_tied;
  model.position_scheme = PositionScheme::kLearned;
  model.token_embedding = {"wte.weight", {config->vocabulary, config->model_dim}};
  model.position_embedding = TensorNeed{"wpe.weight", {config->positions, config->model_dim}};
  model.final_norm = Norm("ln_f", *config);
  for (std::int64_t layer = 0; layer < config->layers; ++layer) {
    model.layer.push_back(Layer(layer, *config));
  }
  return model;
}

}  // namespace

const Family kGpt2Family = {
    .id = "gpt2",
    .detect = Detect,
    .describe = Describe,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                   "n_positions": 16, "vocab_size": 11})",
};

}  // namespace headscope
