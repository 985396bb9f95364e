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

Status RefuseEncoder(const JsonObject& json) {
  HEADSCOPE_TRY(const auto has_cross_attention, json.Boolean("add_cross_attention", false));
  return has_cross_attention
             ? Fail(ErrorCode::kUnsupported,
                    fmt::format("{}: \"add_cross_attention\" is true, expected false; a GPT-2 that "
                                "reads an encoder does not open yet",
                                json.name()))
             : Status();
}

// The first GPT's "gelu" is the tanh form.
Result<ActivationKind> ReadFirstActivation(const JsonObject& json) {
  HEADSCOPE_TRY(const auto read, ReadActivation(json, "afn", "gelu"));
  return read == ActivationKind::kGelu ? ActivationKind::kGeluTanh : read;
}

Result<Gpt2Config> ReadGpt2(const JsonObject& json, std::string_view type) {
  const bool is_first = type == "openai-gpt";
  const bool is_nano = type == "nanogpt";
  const bool has_positions = json.Has("n_positions") || !json.Has("n_ctx");
  HEADSCOPE_TRY(auto sizes,
                ReadSizes(json,
                          {.layers = "n_layer",
                           .heads = "n_head",
                           .model_dim = "n_embd",
                           .inner = "n_inner",
                           .positions = is_nano         ? "block_size"
                                        : has_positions ? "n_positions"
                                                        : "n_ctx",
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto activation,
                is_first
                    ? ReadFirstActivation(json)
                    : ReadActivation(json, "activation_function", is_nano ? "gelu" : "gelu_new"));
  HEADSCOPE_TRY(const auto has_bias, ReadBias(json, "bias", true));
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("scale_attn_weights", true));
  HEADSCOPE_TRY(const auto is_scaled_by_layer,
                json.Boolean("scale_attn_by_inverse_layer_idx", false));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  HEADSCOPE_TRY(const auto shares_keys, json.Boolean("multi_query", true));
  HEADSCOPE_TRY(RefuseEncoder(json));
  const bool is_bigcode = type == "gpt_bigcode";
  if (is_bigcode && shares_keys) {
    sizes.kv_heads = 1;
  }
  return Gpt2Config{.sizes = sizes,
                    .epsilon = epsilon,
                    .activation = activation,
                    .layout = is_bigcode || is_nano ? WeightLayout::kOutIn : WeightLayout::kInOut,
                    .is_normed_after = is_first,
                    .is_scaled = is_scaled,
                    .is_scaled_by_layer = is_scaled_by_layer,
                    .is_tied = is_tied,
                    .keeps_heads_together = is_bigcode && !shares_keys,
                    .has_bias = is_nano ? has_bias : HasBias::kYes};
}

LinearNeed Linear(const std::string& name,
                  std::int64_t in,
                  std::int64_t out,
                  const Gpt2Config& config) {
  if (config.layout == WeightLayout::kOutIn) {
    return Product({MatrixPart(name, in, out, config.has_bias)});
  }
  return {.layout = WeightLayout::kInOut,
          .in = in,
          .matrices = {{.weight = {name + ".weight", {in, out}},
                        .bias = TensorNeed{name + ".bias", {out}}}}};
}

NormNeed Norm(const std::string& name, const Gpt2Config& config) {
  NormNeed norm = LayerNorm(name, config.sizes.model_dim, config.epsilon);
  if (config.has_bias == HasBias::kNo) {
    norm.bias.reset();
  }
  return norm;
}

NormPlaces Norms(const std::string& name, const Gpt2Config& config) {
  NormPlaces places;
  (config.is_normed_after ? places.after : places.before) = Norm(name, config);
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
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  HEADSCOPE_TRY(const auto config, ReadGpt2(json, type));
  const StackSizes& sizes = config.sizes;
  ModelDescription model = StartDescription(kGpt2Family.id, sizes, "wte.weight");
  model.ties_embeddings = config.is_tied;
  model.position_scheme = PositionScheme::kLearned;
  model.position_embedding = TensorNeed{"wpe.weight", {sizes.positions, sizes.model_dim}};
  model.output_layer = OutputNamed("lm_head", model);
  if (!config.is_normed_after) {
    model.final_norm = Norm("ln_f", config);
  }
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
