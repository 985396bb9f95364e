// Arcee's Trinity (afmoe), Poolside's Laguna and Aleph Alpha's Kolibri: Llama's layout with experts,
// windows, and norms of queries and keys. In the first two a gate made of the layer's input stands
// between attention and its output product.
//
// Source   Arcee AI 2025; Poolside 2026; Aleph Alpha 2026; as transformers computes them.
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kAfmoeFamily;
namespace {

constexpr std::array<OtherName, 2> kAfmoeNames = {
    {{"pre_feedforward_layernorm.", "pre_mlp_layernorm."},
     {"post_feedforward_layernorm.", "post_mlp_layernorm."}}};

constexpr std::array<OtherName, 4> kKolibriNames = {
    {{"post_attention_layernorm.", "post_attn_norm."},
     {"pre_feedforward_layernorm.", "post_attention_layernorm."},
     {"post_feedforward_layernorm.", "post_ffn_norm."},
     {"mlp.gate.e_score_correction_bias", "moe.router.expert_bias"}}};

// Layers without a window have no positions.
Status ReadTurns(const JsonObject& json,
                 std::int64_t interval,
                 std::int64_t window,
                 LlamaConfig* config) {
  HEADSCOPE_TRY(ReadIntervalWindows(json, interval, window, config));
  for (const std::int64_t one : config->windows) {
    config->turns.push_back(one > 0);
  }
  return {};
}

Result<ModelDescription> DescribeAfmoe(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json, {.head_dim = 128, .positions = 16'384, .epsilon = 1e-5}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 64, .usual_chosen = 6, .usual_inner = 1408}));
  HEADSCOPE_TRY(const auto dense, json.Integer("num_dense_layers", 0, kMaxLayers, 1));
  HEADSCOPE_TRY(const auto interval, json.Integer("global_attn_every_n_layers", 1, kMaxLayers, 4));
  HEADSCOPE_TRY(const auto factor, json.Number("route_scale", -1e6, 1e6, 1.0));
  HEADSCOPE_TRY(const auto scales, json.Boolean("mup_enabled", false));
  HEADSCOPE_TRY(ReadShared(json, "num_shared_experts", 2, &experts));
  HEADSCOPE_TRY(ReadTurns(json, interval, 1024, &config));
  for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
    experts.layers.push_back(layer >= dense);
  }
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.is_normalised = true;
  experts.choice.factor = factor;
  experts.router = "router.gate";
  experts.correction = "expert_bias";
  config.experts = std::move(experts);
  config.norms = NormPlacing::kBeforeAndInside;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.output_gate = LlamaGate{};
  if (scales) {
    config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  }
  ModelDescription model = DescribeLlama(kAfmoeFamily.id, config);
  UseOtherNames(kAfmoeNames, &model);
  return model;
}

Status RefuseUnlikeLayers(const JsonObject& json, std::int64_t heads) {
  HEADSCOPE_TRY(const auto list, json.Array("num_attention_heads_per_layer"));
  for (std::size_t layer = 0; list && layer < list->size(); ++layer) {
    if ((*list)[layer].Integer().value_or(-1) != heads) {
      return Fail(ErrorCode::kUnsupported,
                  fmt::format("{}: layer {} has {} heads (\"num_attention_heads_per_layer\"), "
                              "expected {}, as many as the others; layers with other numbers of "
                              "heads do not open yet",
                              json.name(),
                              layer,
                              (*list)[layer].Minified(),
                              heads));
    }
  }
  return {};
}

Result<LlamaGate> ReadLagunaGate(const JsonObject& json) {
  const std::optional<JsonValue> value = json.Value("gating");
  const std::string_view text = value ? value->Text().value_or("") : "per-head";
  const bool is_usual = value && value->Boolean() == true;
  if (!is_usual && text != "per-head" && text != "per-element") {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: \"gating\" is {}, expected true, \"per-head\" or "
                            "\"per-element\"",
                            json.name(),
                            value->Minified()));
  }
  return LlamaGate{.name = "g_proj",
                   .activation = ActivationKind::kSoftplus,
                   .is_of_heads = text != "per-element"};
}

Result<ModelDescription> DescribeLaguna(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.kv_heads = 8,
                                 .head_dim = 128,
                                 .positions = 131'072,
                                 .theta = 500'000.0,
                                 .partial_factor = json.Has("rope_parameters") ? 1.0 : 0.5,
                                 .rotary_layers = "full_attention"}));
  HEADSCOPE_TRY(RefuseUnlikeLayers(json, config.sizes.heads));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 256, .usual_chosen = 8, .usual_inner = 512}));
  HEADSCOPE_TRY(const auto shared,
                json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 512));
  HEADSCOPE_TRY(const auto factor, json.Number("moe_routed_scaling_factor", -1e6, 1e6, 1.0));
  HEADSCOPE_TRY(const auto cap, json.Number("moe_router_logit_softcapping", 0.0, 1e9, 0.0));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto gate, ReadLagunaGate(json));
  HEADSCOPE_TRY(experts.layers, ReadSparseLayers(json, config.sizes.layers, 1));
  HEADSCOPE_TRY(ReadIntervalWindows(json, 0, 512, &config));
  HEADSCOPE_TRY(ReadWindowRotary(json, "rope_theta", kUsualRotaryBase, &config));
  experts.shared_inner = shared;
  experts.shared_gate = {};
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.is_normalised = true;
  experts.choice.factor = factor;
  experts.choice.softcap = cap;
  experts.correction = "experts.e_score_correction_bias";
  config.experts = std::move(experts);
  config.query_bias = bias;
  config.output_bias = bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.output_gate = gate;
  return DescribeLlama(kAfmoeFamily.id, config);
}

Result<ModelDescription> DescribeKolibri(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.kv_heads = 4,
                                 .head_dim = 128,
                                 .positions = 262'144,
                                 .inner_factor = 1}));  // no layer has a plain MLP
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 384, .usual_chosen = 6, .usual_inner = 512}));
  HEADSCOPE_TRY(const auto shared,
                json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 512));
  HEADSCOPE_TRY(ReadTurns(json, 5, 513, &config));
  experts.shared_inner = shared;
  experts.shared = "shared_experts.";
  experts.shared_gate = {};
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.compares_logits = true;
  experts.correction = "gate.e_score_correction_bias";
  config.experts = std::move(experts);
  config.norms = NormPlacing::kBeforeAndInside;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  ModelDescription model = DescribeLlama(kAfmoeFamily.id, config);
  UseOtherNames(kKolibriNames, &model);
  return model;
}

Result<ModelDescription> DescribeGated(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  return type == "laguna"     ? DescribeLaguna(json)
         : type == "kolibri1" ? DescribeKolibri(json)
                              : DescribeAfmoe(json);
}

}  // namespace

const Family kAfmoeFamily = {
    .id = "afmoe",
    .other_types = "kolibri1 laguna",
    .describe = DescribeGated,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "afmoe", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 10, "moe_intermediate_size": 6, "num_experts": 3,
                   "num_experts_per_tok": 2, "num_shared_experts": 1, "num_dense_layers": 1,
                   "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"],
                   "mup_enabled": true, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
