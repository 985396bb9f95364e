// GPT-2: layer norm before each half, learned positions, queries, keys and values in one matrix.
//
// Source   Radford 2019; tensors as transformers' GPT2Model names them, matrices [in, out].
#include <array>

#include <fmt/format.h>

#include "core/model/family_kit.h"

namespace headscope {
extern const Family kGpt2Family;
namespace {

constexpr std::array<std::string_view, 2> kGpt2Prefixes = {"transformer.", ""};

struct Gpt2Config {
  StackSizes sizes;
  double epsilon = 0.0;
  ActivationKind activation = ActivationKind::kGeluTanh;
  bool is_scaled = true;
  bool is_scaled_by_layer = false;
  bool is_tied = true;
};

Result<Gpt2Config> ReadGpt2(const JsonObject& json) {
  const bool has_positions = json.Has("n_positions") || !json.Has("n_ctx");
  HEADSCOPE_TRY(const auto sizes,
                ReadSizes(json,
                          {.layers = "n_layer",
                           .heads = "n_head",
                           .model_dim = "n_embd",
                           .inner = "n_inner",
                           .positions = has_positions ? "n_positions" : "n_ctx",
                           .default_inner_factor = 4}));
  HEADSCOPE_TRY(const auto epsilon, json.Number("layer_norm_epsilon", 0.0, 1000.0, 1e-5));
  HEADSCOPE_TRY(const auto activation, ReadActivation(json, "activation_function", "gelu_new"));
  HEADSCOPE_TRY(const auto is_scaled, json.Boolean("scale_attn_weights", true));
  HEADSCOPE_TRY(const auto is_scaled_by_layer,
                json.Boolean("scale_attn_by_inverse_layer_idx", false));
  HEADSCOPE_TRY(const auto is_tied, json.Boolean("tie_word_embeddings", true));
  HEADSCOPE_TRY(const auto has_cross_attention, json.Boolean("add_cross_attention", false));
  if (has_cross_attention) {
    return Fail(ErrorCode::kUnsupported,
                fmt::format("{}: \"add_cross_attention\" is true, expected false; a GPT-2 that "
                            "reads an encoder does not open yet",
                            json.name()));
  }
  return Gpt2Config{.sizes = sizes,
                    .epsilon = epsilon,
                    .activation = activation,
                    .is_scaled = is_scaled,
                    .is_scaled_by_layer = is_scaled_by_layer,
                    .is_tied = is_tied};
}

LinearNeed Linear(const std::string& name, std::int64_t in, std::int64_t out) {
  return {.layout = WeightLayout::kInOut,
          .in = in,
          .matrices = {{.weight = {name + ".weight", {in, out}},
                        .bias = TensorNeed{name + ".bias", {out}}}}};
}

LayerDescription Gpt2Layer(std::int64_t index, const Gpt2Config& config) {
  const std::string prefix = fmt::format("h.{}.", index);
  const std::int64_t width = config.sizes.model_dim;
  const std::int64_t inner = config.sizes.inner;
  LayerDescription layer;
  layer.attention_norm = NormBefore(LayerNorm(prefix + "ln_1", width, config.epsilon));
  layer.query_key_value = Linear(prefix + "attn.c_attn", width, 3 * width);
  layer.output = Linear(prefix + "attn.c_proj", width, width);
  layer.rule = {.scale = config.is_scaled ? UsualScale(config.sizes.head_dim) : 1.0,
                .causal = true};
  if (config.is_scaled_by_layer) {
    layer.rule.scale /= static_cast<double>(index + 1);
  }
  layer.mlp_norm = NormBefore(LayerNorm(prefix + "ln_2", width, config.epsilon));
  layer.mlp_up = Linear(prefix + "mlp.c_fc", width, inner);
  layer.mlp_down = Linear(prefix + "mlp.c_proj", inner, width);
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
  model.final_norm = LayerNorm("ln_f", sizes.model_dim, config.epsilon);
  for (std::int64_t layer = 0; layer < sizes.layers; ++layer) {
    model.layer.push_back(Gpt2Layer(layer, config));
  }
  return model;
}

}  // namespace

const Family kGpt2Family = {
    .id = "gpt2",
    .describe = DescribeGpt2,
    .prefixes = kGpt2Prefixes,
    .example = R"({"model_type": "gpt2", "n_layer": 3, "n_head": 3, "n_embd": 12,
                   "n_positions": 16, "vocab_size": 11})",
};

}  // namespace headscope
