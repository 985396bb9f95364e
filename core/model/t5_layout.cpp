#include "core/model/t5_layout.h"

#include <array>

#include <fmt/format.h>

#include "core/model/generation_file.h"

namespace headscope {
namespace {

constexpr const char* kShared = "shared.weight";
constexpr std::int64_t kMaxBuckets = 4096;
constexpr std::int64_t kMaxDistance = 65'536;

struct T5Config {
  StackSizes sizes;
  std::int64_t decoder_layers = 0;
  double epsilon = 1e-6;
  bool is_gated = false;
  ActivationKind activation = ActivationKind::kRelu;
  BucketRule buckets;
  bool scales_output = true;
  bool has_decoder = true;
  bool has_own_biases = false;  // of each layer
};

// Reads the two parts of "feed_forward_proj" as keys of their own, which take precedence over it.
Status ReadParts(const JsonObject& json, T5Config* config) {
  HEADSCOPE_TRY(config->is_gated, json.Boolean("is_gated_act", config->is_gated));
  if (json.Has("dense_act_fn")) {
    HEADSCOPE_TRY(config->activation, ReadActivation(json, "dense_act_fn", "relu"));
  }
  return {};
}

// Reads "relu", or "gated-" and a name; T5's gelu here is the tanh form.
Status ReadProjection(const JsonObject& json, T5Config* config) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(const auto projection,
                json.String("feed_forward_proj",
                            type == "t5" || type == "switch_transformers" || type == "longt5"
                                ? "relu"
                                : "gated-gelu"));
  config->has_own_biases = type == "umt5";
  struct Kind {
    std::string_view name;
    bool is_gated;
    ActivationKind activation;
  };
  constexpr std::array<Kind, 7> kKinds = {{
      {"relu", false, ActivationKind::kRelu},
      {"gelu", false, ActivationKind::kGelu},
      {"gelu_new", false, ActivationKind::kGeluTanh},
      {"silu", false, ActivationKind::kSilu},
      {"gated-gelu", true, ActivationKind::kGeluTanh},
      {"gated-relu", true, ActivationKind::kRelu},
      {"gated-silu", true, ActivationKind::kSilu},
  }};
  for (const Kind& kind : kKinds) {
    if (kind.name == projection) {
      config->is_gated = kind.is_gated;
      config->activation = kind.activation;
      return ReadParts(json, config);
    }
  }
  return json.Refuse("feed_forward_proj",
                     "relu, gelu, gelu_new or silu, plain or after \"gated-\"");
}

Status ReadBuckets(const JsonObject& json, T5Config* config) {
  HEADSCOPE_TRY(const auto buckets,
                json.Integer("relative_attention_num_buckets", 4, kMaxBuckets, 32));
  // Keys nearer than half of the buckets have one bucket each.
  HEADSCOPE_TRY(
      const auto distance,
      json.Integer("relative_attention_max_distance", buckets / 2 + 1, kMaxDistance, 128));
  config->buckets = {.buckets = buckets, .max_distance = distance};
  return {};
}

Result<T5Config> ReadT5(const JsonObject& json) {
  T5Config config;
  // Relative positions have no maximum length.
  HEADSCOPE_TRY(config.sizes,
                ReadSizes(json,
                          SizeKeys{.layers = "num_layers",
                                   .heads = "num_heads",
                                   .model_dim = "d_model",
                                   .head_dim = "d_kv",
                                   .inner = "d_ff",
                                   .positions = "",
                                   .default_head_dim = 64,
                                   .default_positions = kMaxPositions}));
  HEADSCOPE_TRY(config.decoder_layers,
                json.Integer("num_decoder_layers", 1, kMaxLayers, config.sizes.layers));
  HEADSCOPE_TRY(config.epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-6));
  // Since version 1.1 the first key says whether the decoder's states are scaled, like the second
  // key in newer files; embeddings are tied whenever a file holds only one of them. mT5's are tied and
  // not scaled.
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(config.scales_output,
                json.Boolean("scale_decoder_outputs", is_tied && type != "mt5"));
  HEADSCOPE_TRY(config.has_decoder, json.Boolean("is_encoder_decoder", true));
  HEADSCOPE_TRY(ReadProjection(json, &config));
  HEADSCOPE_TRY(ReadBuckets(json, &config));
  return config;
}

LinearNeed::Matrix Plain(const std::string& name, std::int64_t in, std::int64_t out) {
  return MatrixPart(name, in, out, HasBias::kNo);
}

CrossDescription Cross(const std::string& prefix, const T5Config& config) {
  const std::string attention = prefix + "EncDecAttention.";
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.heads * config.sizes.head_dim;
  CrossDescription cross;
  cross.norm.before = RmsNorm(prefix + "layer_norm", width, config.epsilon);
  cross.query = Product({Plain(attention + "q", width, inner)});
  cross.key_value =
      Product({Plain(attention + "k", width, inner), Plain(attention + "v", width, inner)});
  cross.output = Product({Plain(attention + "o", inner, width)});
  cross.rule = {.scale = 1.0, .causal = false};
  return cross;
}

LayerDescription T5Layer(const std::string& prefix, bool is_decoder, const T5Config& config) {
  const std::string attention = prefix + "layer.0.SelfAttention.";
  const std::string mlp = prefix + (is_decoder ? "layer.2." : "layer.1.");
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.heads * config.sizes.head_dim;
  const auto up = [&](const char* name) {
    return Product({Plain(mlp + "DenseReluDense." + name, width, config.sizes.inner)});
  };
  LayerDescription layer;
  layer.attention_norm.before = RmsNorm(prefix + "layer.0.layer_norm", width, config.epsilon);
  layer.query_key_value = Product({Plain(attention + "q", width, inner),
                                   Plain(attention + "k", width, inner),
                                   Plain(attention + "v", width, inner)});
  layer.output = Product({Plain(attention + "o", inner, width)});
  layer.rule = {.scale = 1.0, .causal = is_decoder};
  if (is_decoder) {
    layer.cross = Cross(prefix + "layer.1.", config);
  }
  layer.mlp_norm.before = RmsNorm(mlp + "layer_norm", width, config.epsilon);
  layer.mlp_up = up(config.is_gated ? "wi_1" : "wi");
  if (config.is_gated) {
    layer.mlp_gate = up("wi_0");
  }
  layer.mlp_down = Product({Plain(mlp + "DenseReluDense.wo", config.sizes.inner, width)});
  layer.activation = config.activation;
  return layer;
}

ModelDescription Stack(std::string_view family,
                       const std::string& name,
                       bool is_decoder,
                       const T5Config& config) {
  StackSizes sizes = config.sizes;
  if (is_decoder) {
    sizes.layers = config.decoder_layers;
  }
  ModelDescription stack = StartDescription(family, sizes, name + ".embed_tokens.weight");
  stack.causal = is_decoder;
  BucketRule rule = config.buckets;
  rule.is_bidirectional = !is_decoder;
  const auto bias = [&](const std::string& block) {
    return RelativeBiasNeed{
        .table = {block + "layer.0.SelfAttention.relative_attention_bias.weight",
                  {rule.buckets, sizes.heads}},
        .rule = rule};
  };
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    const std::string block = fmt::format("{}.block.{}.", name, layer);
    stack.layer.push_back(T5Layer(block, is_decoder, config));
    if (config.has_own_biases) {
      stack.layer.back().relative_bias = bias(block);
    } else if (layer == 0) {
      stack.relative_bias = bias(block);
    }
  }
  stack.final_norm = RmsNorm(name + ".final_layer_norm", sizes.model_dim, config.epsilon);
  return stack;
}

}  // namespace

Result<ModelDescription> DescribeT5(const JsonObject& json, std::string_view family) {
  HEADSCOPE_TRY(const auto config, ReadT5(json));
  ModelDescription model = Stack(family, "encoder", false, config);
  model.ties_embeddings = config.scales_output;
  TensorNeed& encoder = model.token_embedding;
  encoder.stand_ins = {kShared, "decoder.embed_tokens.weight", "lm_head.weight"};
  if (!config.has_decoder) {
    return model;
  }
  model.decoder = Stack(family, "decoder", true, config);
  HEADSCOPE_TRY(ReadGeneration(json, 0, 1, &model));
  TensorNeed& decoder = model.decoder->token_embedding;
  GenerationRule& generation = *model.generation;
  decoder.stand_ins = {kShared, encoder.name, "lm_head.weight"};
  generation.output.stand_ins = {kShared, encoder.name, decoder.name};
  if (config.scales_output) {
    generation.output_scale = UsualScale(config.sizes.model_dim);
  }
  return model;
}

}  // namespace headscope
