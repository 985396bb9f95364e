// GLM 4.5, dots.llm1, Solar Open, Hunyuan 3, Sarvam and EXAONE with experts: Llama's layout; a router
// by sigmoids with corrected scores, and a shared expert.
//
// Source   Zhipu AI 2025; rednote 2025; Upstage 2025; Tencent 2025; LG AI Research 2025; as
//          transformers computes them.
#include <array>
#include <utility>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGlm4MoeFamily;
namespace {

constexpr std::array<OtherName, 1> kSarvamNames = {{{"embed_tokens.", "word_embeddings."}}};

Result<LlamaExperts> ReadRouted(const JsonObject& json, std::string_view type) {
  const bool is_hunyuan = type == "hy_v3";
  const bool is_exaone = type == "exaone_moe";
  // Sarvam's own files have other keys than those that transformers writes.
  const bool is_sarvam_own = type == "sarvam_moe" && json.Has("num_experts");
  const bool has_own_keys = is_hunyuan || is_exaone || is_sarvam_own;
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = has_own_keys ? "num_experts" : "n_routed_experts",
                             .usual_count = is_hunyuan  ? 192
                                            : is_exaone ? 64
                                                        : 128,
                             .usual_chosen = type == "sarvam_moe" ? 6 : 8,
                             .usual_inner = type == "sarvam_moe" ? 1024 : 1408}));
  HEADSCOPE_TRY(ReadGroups(json, &experts));
  HEADSCOPE_TRY(
      ReadShared(json, has_own_keys ? "num_shared_experts" : "n_shared_experts", 1, &experts));
  if (type == "dots1") {
    HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", false));
    experts.choice.is_normalised = is_normalised;
  }
  if (type == "sarvam_moe") {
    HEADSCOPE_TRY(const auto factor, json.Number("routed_scaling_factor", -1e6, 1e6, 2.5));
    experts.choice.factor = factor;
    experts.correction = "gate.expert_bias";
  }
  if (is_exaone) {
    experts.correction = "e_score_correction_bias";
  }
  if (is_hunyuan) {
    HEADSCOPE_TRY(const auto factor, json.Number("router_scaling_factor", -1e6, 1e6, 2.826));
    experts.choice.factor = factor;
    experts.choice.is_normalised = true;
    experts.router = "router.gate";
    experts.correction = "expert_bias";
    experts.shared = "shared_mlp.";
  }
  return experts;
}

// EXAONE's layers without a window have no positions where others have one.
Status ReadExaone(const JsonObject& json, LlamaConfig* config) {
  const bool has_windows = !json.IsNull("sliding_window");
  HEADSCOPE_TRY(ReadIntervalWindows(json, has_windows ? 4 : 0, has_windows ? 4096 : 0, config));
  if (has_windows) {
    TurnInWindowsAlone(config);
  }
  config->query_key_norm = QueryKeyNorm::kEachHead;
  return {};
}

Result<ModelDescription> DescribeGlm4Moe(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_glm = type == "glm4_moe";
  const bool is_dots = type == "dots1";
  const bool is_sarvam = type == "sarvam_moe";
  const bool has_head_dim = type == "solar_open" || type == "hy_v3";
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json,
          {.head_dim = has_head_dim ? std::optional<std::int64_t>(128)
                       : is_sarvam  ? std::optional<std::int64_t>(64)
                                    : std::nullopt,
           .positions = 131'072,
           .theta = is_sarvam ? 8e6 : kUsualRotaryBase,
           .epsilon = is_dots || is_sarvam ? 1e-6 : 1e-5,
           .partial_factor = is_glm      ? 0.5
                             : is_sarvam ? 1.0
                                         : 0.0,
           .inner_factor = type == "solar_open" ? std::optional<std::int64_t>(4) : std::nullopt}));
  const char* bias_key = json.Has("use_qkv_bias") ? "use_qkv_bias" : "attention_bias";
  HEADSCOPE_TRY(const auto bias, ReadBias(json, bias_key, false));
  config.query_bias = bias;
  config.output_bias = is_glm || is_sarvam || type == "solar_open" ? HasBias::kNo : bias;
  HEADSCOPE_TRY(const auto has_norm, json.Boolean("use_qk_norm", is_sarvam));
  if (is_dots || type == "hy_v3" || ((is_glm || is_sarvam) && has_norm)) {
    config.query_key_norm = QueryKeyNorm::kEachHead;
  }
  if (is_dots) {
    HEADSCOPE_TRY(ReadIntervalWindows(json, 0, json.IsNull("sliding_window") ? 0 : 4096, &config));
  }
  if (type == "exaone_moe") {
    config.query_bias = HasBias::kNo;
    config.output_bias = HasBias::kNo;
    HEADSCOPE_TRY(ReadExaone(json, &config));
  }
  if (is_sarvam) {
    config.names.attention = "attention.";
    config.names.fused_queries = "query_key_value";
    config.names.output = "dense";
    config.names.query_norm = "query_layernorm";
    config.names.key_norm = "key_layernorm";
  }
  HEADSCOPE_TRY(auto experts, ReadRouted(json, type));
  HEADSCOPE_TRY(
      auto sparse,
      ReadSparseLayers(json, config.sizes.layers, is_dots || type == "solar_open" ? 0 : 1));
  experts.layers = std::move(sparse);
  config.experts = std::move(experts);
  ModelDescription model = DescribeLlama(kGlm4MoeFamily.id, config);
  if (is_sarvam) {
    UseOtherNames(kSarvamNames, &model);
  }
  HEADSCOPE_TRY(LeaveOutPredictors(json, &model));
  model.unread.emplace_back("mtp.");
  return model;
}

}  // namespace

const Family kGlm4MoeFamily = {
    .id = "glm4_moe",
    .other_types = "dots1 exaone_moe hy_v3 sarvam_moe solar_open",
    .describe = DescribeGlm4Moe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "glm4_moe", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "moe_intermediate_size": 6, "n_routed_experts": 3,
                   "num_experts_per_tok": 2, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
