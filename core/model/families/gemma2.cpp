// Gemma 2 and 3: Gemma with a second norm in each half, capped scores, and a window in some layers;
// in the third, queries and keys are normed, too, and layers with a window turn by a base of their
// own. VaultGemma: Gemma 2 without the second norms.
//
// Source   Gemma Team 2024, "Gemma 2"; 2025, "Gemma 3"; Sinha 2025, "VaultGemma".
#include <cmath>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGemma2Family;
namespace {

constexpr double kMaxScore = 1e9;

// Null switches a setting off; a missing key has its default.
double DefaultUnlessNull(const JsonObject& json, std::string_view key, double fallback) {
  return json.IsNull(key) ? 0.0 : fallback;
}

Status ReadScores(const JsonObject& json, double usual_cap, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto scalar, json.Number("query_pre_attn_scalar", 1e-3, kMaxScore, 256.0));
  HEADSCOPE_TRY(const auto softcap,
                json.Number("attn_logit_softcapping",
                            0.0,
                            kMaxScore,
                            DefaultUnlessNull(json, "attn_logit_softcapping", usual_cap)));
  config->scale = 1.0 / std::sqrt(scalar);
  config->softcap = softcap;
  HEADSCOPE_TRY(config->logit_cap, ReadLogitCap(json, usual_cap > 0.0 ? 30.0 : 0.0));
  return {};
}

Status ReadThird(const JsonObject& json, LlamaConfig* config) {
  config->query_key_norm = QueryKeyNorm::kEachHead;
  return ReadWindowRotary(json, "rope_local_base_freq", kUsualRotaryBase, config);
}

Result<ModelDescription> DescribeGemma2(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_third = type == "gemma3_text";
  LlamaDefaults defaults{.head_dim = 256,
                         .positions = 8192,
                         .activation_key = "hidden_activation",
                         .activation = "gelu_pytorch_tanh",
                         .is_tied = true};
  if (is_third) {  // "text_config" of the larger models says little more than its sizes
    defaults.heads = 8;
    defaults.kv_heads = 4;
    defaults.vocabulary = 262'208;
    defaults.positions = 131'072;
    defaults.theta = 1e6;
    defaults.rotary_layers = "full_attention";
  }
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, defaults));
  HEADSCOPE_TRY(RefuseBidirectional(json));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto interval,
                json.Integer("sliding_window_pattern", 1, kMaxLayers, is_third ? 6 : 2));
  config.query_bias = bias;
  config.output_bias = bias;
  config.norm_offset = 1.0;
  if (type == "vaultgemma") {
    config.names.mlp_norm = "pre_feedforward_layernorm";
  } else {
    config.norms = NormPlacing::kBeforeAndInside;
  }
  config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  HEADSCOPE_TRY(ReadScores(json, is_third ? 0.0 : 50.0, &config));
  HEADSCOPE_TRY(
      ReadIntervalWindows(json, interval, json.IsNull("sliding_window") ? 0 : 4096, &config));
  if (is_third) {
    HEADSCOPE_TRY(ReadThird(json, &config));
  }
  return DescribeLlama(kGemma2Family.id, config);
}

}  // namespace

const Family kGemma2Family = {
    .id = "gemma2",
    .other_types = "gemma3_text vaultgemma",
    .describe = DescribeGemma2,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "gemma2", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 6,
                   "query_pre_attn_scalar": 8, "attn_logit_softcapping": 2.5,
                   "sliding_window": 5, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
