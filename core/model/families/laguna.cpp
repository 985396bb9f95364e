// Poolside's Laguna: Llama's layout with experts, windows, and norms of queries and keys. A gate made of
// the layer's input stands between attention and its output product.
//
// Source   Poolside 2026, as transformers computes it.
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kLagunaFamily;
namespace {

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
    return json.Refuse("gating", "true, \"per-head\" or \"per-element\"", ErrorCode::kFormat);
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
  return DescribeLlama(kLagunaFamily.id, config);
}

}  // namespace

const Family kLagunaFamily = {
    .id = "laguna",
    .describe = DescribeLaguna,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "laguna", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 10, "moe_intermediate_size": 6, "num_experts": 3,
                   "num_experts_per_tok": 2, "shared_expert_intermediate_size": 6,
                   "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"], "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
