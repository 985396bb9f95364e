// GPT-2 and its kin: learned positions, queries, keys and values in one matrix, layer norm before
// each half. GPT (the first) norms after each half; in GPT-BigCode all heads share keys and values;
// nanoGPT's may have no biases.
//
// Source   Radford 2018, 2019; Ben Allal 2023 (SantaCoder); tensors as transformers' classes name
//          them, matrices [in, out], in GPT-BigCode and nanoGPT [out, in].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kGpt2Family;
namespace {

constexpr std::array<std::string_view, 2> kGpt2Prefixes = {"transformer.", ""};
constexpr std::array<OtherName, 2> kFirstNames = {
    {{"wte.", "tokens_embed."}, {"wpe.", "positions_embed."}}};

struct Gpt2Config {
  StackSizes sizes;
  double epsilon = 0.0;
  ActivationKind activation = ActivationKind::kGeluTanh;
  WeightLayout layout = WeightLayout::kInOut;
  bool is_normed_after = false;
  bool is_scaled = true;
  bool is_scaled_by_layer = false;
  bool is_tied = true;
  bool keeps_heads_together = false;  // queries, keys and values follow each other head by head
  HasBias has_bias = HasBias::kYes;
};

Result<Gpt2Config> ReadGpt2(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_nano = type == "nanogpt";
  const bool is_bigcode = type == "gpt_bigcode";
  const bool has_positions = json.Has("n_positions") || !json.Has("n_ctx");
  Gpt2Config config;
  HEADSCOPE_TRY(config.sizes,
                ReadSizes(json,
                          {.layers = "n_layer",
                           .heads = "n_head",
                           .model_dim = "n_embd",
                           .inner = "n_inner",
                           .positions = is_nano         ? "block_size"
                                        : has_positions ? "n_positions"
                                                        : "n_ctx",
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(config.epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  config.is_normed_after = type == "openai-gpt";
  const char* const activation = config.is_normed_after ? "afn" : "activation_function";
  const char* const usual = config.is_normed_after || is_nano ? "gelu" : "gelu_new";
  HEADSCOPE_TRY(config.activation, ReadActivation(json, activation, usual));
  if (config.is_normed_after && config.activation == ActivationKind::kGelu) {
    config.activation = ActivationKind::kGeluTanh;  // the first GPT's "gelu"
  }
  HEADSCOPE_TRY(const auto has_bias, ReadBias(json, "bias", true));
  HEADSCOPE_TRY(config.is_scaled, json.Boolean("scale_attn_weights", true));
  HEADSCOPE_TRY(config.is_scaled_by_layer, json.Boolean("scale_attn_by_inverse_layer_idx", false));
  HEADSCOPE_TRY(config.is_tied, json.Boolean("tie_word_embeddings", true));
  HEADSCOPE_TRY(const auto shares_keys, json.Boolean("multi_query", true));
  HEADSCOPE_TRY(const auto reads_encoder, json.Boolean("add_cross_attention", false));
  if (reads_encoder) {
    return json.Refuse("add_cross_attention",
                       "false; a GPT-2 that reads an encoder does not open yet");
  }
  if (is_bigcode && shares_keys) {
    config.sizes.kv_heads = 1;
  }
  config.layout = is_bigcode || is_nano ? WeightLayout::kOutIn : WeightLayout::kInOut;
  config.keeps_heads_together = is_bigcode && !shares_keys;
  config.has_bias = is_nano ? has_bias : HasBias::kYes;
  return config;
}

LinearNeed Linear(const std::string& name,
                  std::int64_t in,
                  std::int64_t out,
                  const Gpt2Config& config) {
  LinearNeed need = Product({MatrixPart(name, in, out, config.has_bias)});
  need.layout = config.layout;
  if (config.layout == WeightLayout::kInOut) {
    need.matrices.front().weight.shape = {in, out};
  }
  return need;
}

NormPlaces Norms(const std::string& name, const Gpt2Config& config) {
  NormPlaces places;
  (config.is_normed_after ? places.after : places.before) =
      LayerNorm(name, config.sizes.model_dim, config.epsilon, config.has_bias);
  return places;
}

LayerDescription Gpt2Layer(std::int64_t index, const Gpt2Config& config) {
  const std::string prefix = fmt::format("h.{}.", index);
  const StackSizes& sizes = config.sizes;
  const std::int64_t width = sizes.model_dim;
  LayerDescription layer;
  layer.attention_norm = Norms(prefix + "ln_1", config);
  layer.query_key_value =
      Linear(prefix + "attn.c_attn", width, width + 2 * sizes.kv_heads * sizes.head_dim, config);
  if (config.keeps_heads_together) {
    layer.query_key_value.fused_heads = sizes.heads;
  }
  layer.output = Linear(prefix + "attn.c_proj", width, width, config);
  layer.rule = {.scale = config.is_scaled ? UsualScale(sizes.head_dim) : 1.0, .causal = true};
  if (config.is_scaled_by_layer) {
    layer.rule.scale /= static_cast<double>(index + 1);
  }
  layer.mlp_norm = Norms(prefix + "ln_2", config);
  layer.mlp_up = Linear(prefix + "mlp.c_fc", width, sizes.inner, config);
  layer.mlp_down = Linear(prefix + "mlp.c_proj", sizes.inner, width, config);
  layer.activation = config.activation;
  return layer;
}

Result<ModelDescription> DescribeGpt2(const JsonObject& json) {
  HEADSCOPE_TRY(const auto config, ReadGpt2(json));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kGpt2Family.id, sizes, "wte.weight");
  model.ties_embeddings = config.is_tied;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding = TensorNeed{"wpe.weight", {sizes.positions, sizes.model_dim}};
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = Norms("ln_f", config).before;
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(Gpt2Layer(layer, config));
  }
  if (config.is_normed_after) {
    UseOtherNames(kFirstNames, &model);
  }
  return model;
}

}  // namespace

const Family kGpt2Family = {
    .id = "gpt2",
    .other_types = "gpt_bigcode openai-gpt nanogpt",
    .describe = DescribeGpt2,
    .prefixes = kGpt2Prefixes,
    .example = R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                   "n_positions": 16, "vocab_size": 11})",
};

}  // namespace headscope
