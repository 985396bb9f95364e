// DBRX: layer norms without a bias, rotary positions, queries, keys and values in one matrix and within
// a limit, and experts. The experts' matrices lie below each other in one tensor of each kind.
//
// Source   Databricks 2024; tensors as transformers' DbrxModel names them.
#include <array>

#include <fmt/format.h>

#include "core/base/quote.h"
#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {
extern const Family kDbrxFamily;
namespace {

constexpr std::array<std::string_view, 2> kDbrxPrefixes = {"transformer.", ""};

struct DbrxExperts {
  std::int64_t count = 0;
  std::int64_t inner = 0;
  ExpertChoice choice = {};
  ActivationKind activation = ActivationKind::kSilu;
};

Result<DbrxExperts> ReadDbrxExperts(const JsonObject& json) {
  HEADSCOPE_TRY(const auto count, json.Integer("moe_num_experts", 1, kMaxExperts, 4));
  HEADSCOPE_TRY(const auto chosen, json.Integer("moe_top_k", 1, count, 1));
  HEADSCOPE_TRY(const auto inner, json.Integer("ffn_hidden_size", 1, kMaxInnerWidth, 3584));
  const bool is_normalised = !json.IsNull("moe_normalize_expert_weights");
  HEADSCOPE_TRY(const auto power, json.Number("moe_normalize_expert_weights", 0.0, 1e9, 1.0));
  if (is_normalised && power != 1.0) {
    return json.Refuse("moe_normalize_expert_weights",
                       "1 or none: the weights of the chosen sum to 1, or are left as they are");
  }
  DbrxExperts read{
      .count = count, .inner = inner, .choice = {.chosen = chosen, .is_normalised = is_normalised}};
  HEADSCOPE_TRY(const auto function, json.Object("ffn_act_fn"));
  if (function) {
    HEADSCOPE_TRY(read.activation, ReadActivation(*function, "name", "silu"));
  }
  return read;
}

NormPlaces DbrxNorm(const std::string& name, std::int64_t width) {
  return NormBefore(LayerNorm(name, width, 1e-5, HasBias::kNo));
}

ExpertsDescription DescribeDbrxExperts(const std::string& block,
                                       std::int64_t width,
                                       const DbrxExperts& experts) {
  ExpertsDescription made{
      .router = Product({MatrixPart(block + "router.layer", width, experts.count, HasBias::kNo)}),
      .choice = experts.choice,
      .expert = {}};
  for (std::int64_t i = 0; i < experts.count; ++i) {
    const auto part = [&](const char* name) {
      return LinearNeed::Matrix{{.name = block + "experts.mlp." + name,
                                 .shape = {experts.count * experts.inner, width},
                                 .rows = RowRange{i * experts.inner, experts.inner}},
                                {}};
    };
    made.expert.push_back(
        {.up = Product({part("v1")}),
         .gate = Product({part("w1")}),
         .down = {.layout = WeightLayout::kInOut, .in = experts.inner, .matrices = {part("w2")}}});
  }
  return made;
}

Result<ModelDescription> DescribeDbrx(const JsonObject& json) {
  HEADSCOPE_TRY(const auto empty, JsonDocument::Parse("{}", json.name()));
  HEADSCOPE_TRY(const auto none, JsonObject::Root(empty));
  HEADSCOPE_TRY(const auto attention_given, json.Object("attn_config"));
  HEADSCOPE_TRY(const auto experts_given, json.Object("ffn_config"));
  const JsonObject& attention = attention_given ? *attention_given : none;
  HEADSCOPE_TRY(auto sizes,
                ReadSizes(json,
                          {.layers = "n_layers",
                           .heads = "n_heads",
                           .model_dim = "d_model",
                           .inner = "",
                           .positions = "max_seq_len",
                           .default_positions = 2048,
                           .default_inner_factor = 1}));
  HEADSCOPE_TRY(sizes.kv_heads, attention.Integer("kv_n_heads", 1, sizes.heads, 1));
  if (sizes.heads % sizes.kv_heads != 0) {
    return attention.Refuse(
        "kv_n_heads", fmt::format("a divisor of the {} heads", sizes.heads), ErrorCode::kFormat);
  }
  HEADSCOPE_TRY(const auto limit, attention.Number("clip_qkv", 0.0, 1e9, 0.0));
  HEADSCOPE_TRY(const auto theta,
                attention.Number("rope_theta", 1.0, kMaxRotaryBase, kUsualRotaryBase));
  HEADSCOPE_TRY(
      const auto rotary,
      ReadRotary(json, {.head_dim = sizes.head_dim, .positions = sizes.positions, .theta = theta}));
  HEADSCOPE_TRY(const auto experts, ReadDbrxExperts(experts_given ? *experts_given : none));
  const std::int64_t width = sizes.model_dim;
  const std::int64_t context = sizes.heads * sizes.head_dim;
  ModelDescription model = StartDescription(kDbrxFamily.id, sizes, "wte.weight");
  model.position_scheme = PositionScheme::kRotary;
  model.rotary = {rotary.rule};
  model.positions = rotary.positions;
  model.output_layer = OutputNamed("lm_head", model);
  model.final_norm = DbrxNorm("norm_f", width).before;
  for (std::int64_t index = 0; index < sizes.layers; ++index) {
    const std::string prefix = fmt::format("blocks.{}.", index);
    const std::string half = prefix + "norm_attn_norm.";
    LayerDescription layer;
    layer.attention_norm = DbrxNorm(half + "norm_1", width);
    layer.query_key_value = Product({MatrixPart(
        half + "attn.Wqkv", width, context + 2 * sizes.kv_heads * sizes.head_dim, HasBias::kNo)});
    layer.projection_limit = limit;
    layer.rotary = 0;
    layer.output = Product({MatrixPart(half + "attn.out_proj", context, width, HasBias::kNo)});
    layer.rule = {.scale = UsualScale(sizes.head_dim), .causal = true};
    layer.mlp_norm = DbrxNorm(half + "norm_2", width);
    layer.experts = DescribeDbrxExperts(prefix + "ffn.", width, experts);
    layer.activation = experts.activation;
    model.layer.push_back(std::move(layer));
  }
  return model;
}

}  // namespace

const Family kDbrxFamily = {
    .id = "dbrx",
    .describe = DescribeDbrx,
    .prefixes = kDbrxPrefixes,
    .example = R"({"model_type": "dbrx", "n_layers": 3, "n_heads": 4, "d_model": 16,
                   "max_seq_len": 16, "vocab_size": 11, "attn_config": {"kv_n_heads": 2, "clip_qkv": 2.0},
                   "ffn_config": {"ffn_hidden_size": 10, "moe_num_experts": 3, "moe_top_k": 2}})",
};

}  // namespace headscope
