// Llama: RMS norm before each half, rotary positions, grouped keys and values, a gated MLP.
//
// Source   Touvron 2023; tensors as transformers' LlamaModel names them, matrices [out, in].
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/config.h"

namespace headscope {
extern const Family kLlamaFamily;
namespace {

constexpr std::array<std::string_view, 2> kPrefixes = {"model.", ""};
constexpr double kDefaultTheta = 10000.0;
constexpr double kMaxTheta = 1e12;

struct Config {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t model_dim = 0;
  std::int64_t head_dim = 0;
  std::int64_t inner = 0;
  std::int64_t positions = 0;
  std::int64_t vocabulary = 0;
  double epsilon = 0.0;
  double theta = kDefaultTheta;
  ActivationKind activation = ActivationKind::kSilu;
  bool has_attention_bias = false;
  bool has_mlp_bias = false;
  bool is_tied = false;
};

Status RefuseScaling(const JsonObject& rotary) {
  // The kind of scaling: "type" in older files.
  for (const char* key : {"rope_type", "type"}) {
    const Result<std::string> type = rotary.String(key, "default");
    if (!type) {
      return PassOn(type.error());
    }
    if (*type != "default") {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: {} is {}, expected \"default\"; scaled rotary positions do not "
                              "open yet",
                              rotary.name(),
                              Quoted(key),
                              Quoted(*type)));
    }
  }
  const auto factor = rotary.Number("partial_rotary_factor", 0.0, 1.0, 1.0);
  HEADSCOPE_TRY(factor);
  if (*factor != 1.0) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format(
            "{}: \"partial_rotary_factor\" is {}, expected 1 in a Llama", rotary.name(), *factor));
  }
  return {};
}

// The base of the angles, from "rope_theta" or, in newer files, from "rope_parameters".
Result<double> ReadTheta(const JsonObject& json) {
  const auto scaling = json.Object("rope_scaling");
  HEADSCOPE_TRY(scaling);
  if (*scaling) {
    HEADSCOPE_TRY(RefuseScaling(**scaling));
  }
  const auto theta = json.Number("rope_theta", 1.0, kMaxTheta, kDefaultTheta);
  HEADSCOPE_TRY(theta);
  const auto parameters = json.Object("rope_parameters");
  HEADSCOPE_TRY(parameters);
  if (!*parameters) {
    return *theta;
  }
  HEADSCOPE_TRY(RefuseScaling(**parameters));
  return (*parameters)->Number("rope_theta", 1.0, kMaxTheta, *theta);
}

Status ReadSizes(const JsonObject& json, Config* config) {
  const auto layers = json.Integer("num_hidden_layers", 1, kMaxLayers);
  HEADSCOPE_TRY(layers);
  const auto heads = json.Integer("num_attention_heads", 1, kMaxHeads);
  HEADSCOPE_TRY(heads);
  const auto kv_heads = json.Integer("num_key_value_heads", 1, *heads, *heads);
  HEADSCOPE_TRY(kv_heads);
  if (*heads % *kv_heads != 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"num_attention_heads\" is {}, expected a multiple of "
                            "\"num_key_value_heads\", which is {}",
                            json.name(),
                            *heads,
                            *kv_heads));
  }
  const auto model_dim = json.Integer("hidden_size", 1, kMaxWidth);
  HEADSCOPE_TRY(model_dim);
  if (!json.Has("head_dim") && *model_dim % *heads != 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"hidden_size\" is {}, expected a multiple of "
                            "\"num_attention_heads\", which is {}, or \"head_dim\"",
                            json.name(),
                            *model_dim,
                            *heads));
  }
  const auto head_dim = json.Integer("head_dim", 1, kMaxInnerWidth / *heads, *model_dim / *heads);
  HEADSCOPE_TRY(head_dim);
  if (*head_dim % 2 != 0 || *head_dim > kMaxWidth) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: the width of a head is {}, expected an even number up to {}: "
                            "rotary positions turn pairs",
                            json.name(),
                            *head_dim,
                            kMaxWidth));
  }
  const auto inner = json.Integer("intermediate_size", 1, kMaxInnerWidth);
  HEADSCOPE_TRY(inner);
  const auto positions = json.Integer("max_position_embeddings", 1, kMaxPositions, 2048);
  HEADSCOPE_TRY(positions);
  const auto vocabulary = json.Integer("vocab_size", 1, kMaxVocabulary);
  HEADSCOPE_TRY(vocabulary);
  config->layers = *layers;
  config->heads = *heads;
  config->kv_heads = *kv_heads;
  config->model_dim = *model_dim;
  config->head_dim = *head_dim;
  config->inner = *inner;
  config->positions = *positions;
  config->vocabulary = *vocabulary;
  return {};
}

Result<Config> Read(const JsonObject& json) {
  Config config;
  HEADSCOPE_TRY(ReadSizes(json, &config));
  const auto epsilon = json.Number("rms_norm_eps", 0.0, 1000.0, 1e-6);
  HEADSCOPE_TRY(epsilon);
  const auto theta = ReadTheta(json);
  HEADSCOPE_TRY(theta);
  const auto activation = ReadActivation(json, "hidden_act", "silu");
  HEADSCOPE_TRY(activation);
  const auto has_attention_bias = json.Boolean("attention_bias", false);
  HEADSCOPE_TRY(has_attention_bias);
  const auto has_mlp_bias = json.Boolean("mlp_bias", false);
  HEADSCOPE_TRY(has_mlp_bias);
  const auto is_tied = json.Boolean("tie_word_embeddings", false);
  HEADSCOPE_TRY(is_tied);
  config.epsilon = *epsilon;
  config.theta = *theta;
  config.activation = *activation;
  config.has_attention_bias = *has_attention_bias;
  config.has_mlp_bias = *has_mlp_bias;
  config.is_tied = *is_tied;
  return config;
}

NormNeed Norm(const std::string& name, const Config& config) {
  return {.kind = NormKind::kRms,
          .weight = {name + ".weight", {config.model_dim}},
          .bias = std::nullopt,
          .epsilon = config.epsilon};
}

LinearNeed::Part Part(const std::string& name, std::int64_t in, std::int64_t out, bool has_bias) {
  return {.weight = {name + ".weight", {out, in}},
          .bias = has_bias ? std::optional(TensorNeed{name + ".bias", {out}}) : std::nullopt};
}

LinearNeed Linear(std::int64_t in, std::vector<LinearNeed::Part> parts) {
  return {.layout = WeightLayout::kOutIn, .in = in, .parts = std::move(parts)};
}

LayerDescription Layer(std::int64_t index, const Config& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = config.model_dim;
  const std::int64_t query_width = config.heads * config.head_dim;
  const std::int64_t key_width = config.kv_heads * config.head_dim;
  const bool bias = config.has_attention_bias;
  const bool mlp_bias = config.has_mlp_bias;
  return {
      .attention_norm = {.before = Norm(prefix + "input_layernorm", config)},
      .query_key_value = Linear(width,
                                {Part(attention + "q_proj", width, query_width, bias),
                                 Part(attention + "k_proj", width, key_width, bias),
                                 Part(attention + "v_proj", width, key_width, bias)}),
      .output = Linear(query_width, {Part(attention + "o_proj", query_width, width, bias)}),
      .rule = {.scale = 1.0 / std::sqrt(static_cast<double>(config.head_dim)), .causal = true},
      .mlp_norm = {.before = Norm(prefix + "post_attention_layernorm", config)},
      .mlp_up = Linear(width, {Part(prefix + "mlp.up_proj", width, config.inner, mlp_bias)}),
      .mlp_gate = Linear(width, {Part(prefix + "mlp.gate_proj", width, config.inner, mlp_bias)}),
      .mlp_down =
          Linear(config.inner, {Part(prefix + "mlp.down_proj", config.inner, width, mlp_bias)}),
      .activation = config.activation};
}

RotaryTable Rotary(const Config& config) {
  RotaryTable table;
  for (std::int64_t i = 0; i < config.head_dim; i += 2) {
    const double exponent = static_cast<double>(i) / static_cast<double>(config.head_dim);
    table.inverse_frequency.push_back(1.0 / std::pow(config.theta, exponent));
  }
  return table;
}

bool Detect(std::string_view model_type) {
  return model_type == "llama";
}

Result<ModelDescription> Describe(const JsonObject& json) {
  const Result<Config> config = Read(json);
  HEADSCOPE_TRY(config);
  ModelDescription model;
  model.family = kLlamaFamily.id;
  model.layers = config->layers;
  model.heads = config->heads;
  model.kv_heads = config->kv_heads;
  model.model_dim = config->model_dim;
  model.head_dim = config->head_dim;
  model.value_dim = config->head_dim;
  model.positions = config->positions;
  model.vocabulary = config->vocabulary;
  model.ties_embeddings = config->is_tied;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = Rotary(*config);
  model.token_embedding = {"embed_tokens.weight", {config->vocabulary, config->model_dim}};
  model.final_norm = Norm("norm", *config);
  for (std::int64_t layer = 0; layer < config->layers; ++layer) {
    model.layer.push_back(Layer(layer, *config));
  }
  return model;
}

}  // namespace

const Family kLlamaFamily = {
    .id = "llama",
    .detect = Detect,
    .describe = Describe,
    .prefixes = kPrefixes,
    .example = R"({"model_type": "llama", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 4,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
