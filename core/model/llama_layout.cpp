#include "core/model/llama_layout.h"

#include <utility>

#include <fmt/format.h>

namespace headscope {
namespace {

NormNeed Norm(const std::string& name, std::int64_t width, const LlamaConfig& config) {
  NormNeed norm = RmsNorm(name, width, config.epsilon);
  norm.weight_offset = config.norm_offset;
  return norm;
}

LinearNeed::Matrix MlpPart(const std::string& name,
                           std::int64_t in,
                           std::int64_t out,
                           const LlamaConfig& config) {
  return MatrixPart(name, in, out, config.mlp_bias);
}

// In a layer with four norms, the two usual ones keep their names but not their places.
void AddNorms(const std::string& prefix, const LlamaConfig& config, LayerDescription* layer) {
  const std::int64_t width = config.sizes.model_dim;
  const auto norm = [&](const char* name) { return Norm(prefix + name, width, config); };
  layer->attention_norm.before = norm("input_layernorm");
  if (config.has_norm_inside) {
    layer->attention_norm.inside = norm("post_attention_layernorm");
    layer->mlp_norm.before = norm("pre_feedforward_layernorm");
    layer->mlp_norm.inside = norm("post_feedforward_layernorm");
  } else {
    layer->mlp_norm.before = norm("post_attention_layernorm");
  }
}

LayerDescription Layer(std::size_t index, const LlamaConfig& config) {
  const std::string prefix = fmt::format("layers.{}.", index);
  const std::string attention = prefix + "self_attn.";
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  const std::int64_t query_width = config.sizes.heads * config.sizes.head_dim;
  const std::int64_t key_width = config.sizes.kv_heads * config.sizes.head_dim;
  const HasBias bias = config.query_bias;
  LayerDescription layer;
  AddNorms(prefix, config, &layer);
  layer.query_key_value = Product({MatrixPart(attention + "q_proj", width, query_width, bias),
                                   MatrixPart(attention + "k_proj", width, key_width, bias),
                                   MatrixPart(attention + "v_proj", width, key_width, bias)});
  if (config.has_query_key_norm) {
    layer.query_norm = Norm(attention + "q_norm", config.sizes.head_dim, config);
    layer.key_norm = Norm(attention + "k_norm", config.sizes.head_dim, config);
  }
  if (config.turns.empty() || config.turns[index]) {
    layer.rotary = 0;
  }
  layer.output =
      Product({MatrixPart(attention + "o_proj", query_width, width, config.output_bias)});
  layer.rule = {.scale = config.scale,
                .softcap = config.softcap,
                .causal = true,
                .window = config.windows.empty() ? 0 : config.windows[index]};
  layer.mlp_up = Product({MlpPart(prefix + "mlp.up_proj", width, inner, config)});
  layer.mlp_gate = Product({MlpPart(prefix + "mlp.gate_proj", width, inner, config)});
  layer.mlp_down = Product({MlpPart(prefix + "mlp.down_proj", inner, width, config)});
  layer.activation = config.activation;
  return layer;
}

}  // namespace

Result<LlamaConfig> ReadLlamaConfig(const JsonObject& json, const LlamaDefaults& defaults) {
  LlamaConfig config;
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.kv_heads = "num_key_value_heads",
                           .head_dim = "head_dim",
                           .default_head_dim = defaults.head_dim,
                           .default_positions = defaults.positions}));
  HEADSCOPE_TRY(const auto rotary,
                ReadRotary(json,
                           {.head_dim = sizes.head_dim,
                            .positions = sizes.positions,
                            .theta = defaults.theta,
                            .partial_factor = 1.0}));
  if (rotary.rule.dims != sizes.head_dim) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"partial_rotary_factor\" lets {} of the {} columns of a head turn, "
                    "expected all of them in this family",
                    json.name(),
                    rotary.rule.dims,
                    sizes.head_dim));
  }
  HEADSCOPE_TRY(const auto epsilon, json.Number("rms_norm_eps", 0.0, 1000.0, 1e-6));
  HEADSCOPE_TRY(const auto activation,
                ReadActivation(json, defaults.activation_key, defaults.activation));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", defaults.is_tied));
  config.sizes = sizes;
  config.sizes.positions = rotary.positions;
  config.rotary = rotary.rule;
  config.epsilon = epsilon;
  config.activation = activation;
  config.is_tied = is_tied;
  config.scale = UsualScale(sizes.head_dim);
  return config;
}

ModelDescription DescribeLlama(std::string_view family, const LlamaConfig& config) {
  ModelDescription model = StartDescription(family, config.sizes, "embed_tokens.weight");
  model.ties_embeddings = config.is_tied;
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {config.rotary};
  model.embedding_scale = config.embedding_scale;
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = Norm("norm", config.sizes.model_dim, config);
  for (std::size_t layer = 0; layer < static_cast<std::size_t>(config.sizes.layers); ++layer) {
    model.layer.push_back(Layer(layer, config));
  }
  return model;
}

Status RefuseBidirectional(const JsonObject& json) {
  HEADSCOPE_TRY(const auto looks_ahead, json.Boolean("use_bidirectional_attention", false));
  if (looks_ahead) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"use_bidirectional_attention\" is true, expected false; models "
                            "of this family that look ahead do not open yet",
                            json.name()));
  }
  return {};
}

Status ReadUpperWindows(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto uses_window, json.Boolean("use_sliding_window", false));
  const auto read = [&](std::string_view key, std::int64_t fallback) {
    return uses_window ? json.Integer(key, 0, kMaxPositions, fallback) : Result<std::int64_t>(0);
  };
  HEADSCOPE_TRY(const auto window,
                read("sliding_window", json.IsNull("sliding_window") ? 0 : 4096));
  HEADSCOPE_TRY(const auto first, read("max_window_layers", 28));
  const bool has_window = uses_window && window > 0;
  std::vector<bool> slides;
  for (std::int64_t layer = 0; layer < config->sizes.layers; ++layer) {
    slides.push_back(has_window && layer >= first);
  }
  HEADSCOPE_TRY(auto windows, ReadWindows(json, has_window ? window : 0, std::move(slides)));
  config->windows = std::move(windows);
  return {};
}

}  // namespace headscope
