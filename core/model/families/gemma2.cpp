// Gemma 2: Gemma with a second norm in each half, capped scores, and a window in every other layer.
//
// Source   Gemma Team 2024, "Gemma 2".
#include <cmath>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGemma2Family;
namespace {

constexpr double kMaxScore = 1e9;

bool IsGemma2(std::string_view model_type) {
  return model_type == "gemma2";
}

// Null switches a setting off; a missing key has its default.
double DefaultUnlessNull(const JsonObject& json, std::string_view key, double fallback) {
  return json.IsNull(key) ? 0.0 : fallback;
}

Status ReadScores(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto scalar, json.Number("query_pre_attn_scalar", 1e-3, kMaxScore, 256.0));
  HEADSCOPE_TRY(const auto softcap,
                json.Number("attn_logit_softcapping",
                            0.0,
                            kMaxScore,
                            DefaultUnlessNull(json, "attn_logit_softcapping", 50.0)));
  config->scale = 1.0 / std::sqrt(scalar);
  config->softcap = softcap;
  return {};
}

Status ReadAlternatingWindows(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(
      const auto window,
      json.Integer("sliding_window", 0, kMaxPositions, json.IsNull("sliding_window") ? 0 : 4096));
  std::vector<bool> slides;
  for (std::int64_t layer = 0; layer < config->sizes.layers; ++layer) {
    slides.push_back(layer % 2 == 0);
  }
  HEADSCOPE_TRY(auto windows, ReadWindows(json, window, std::move(slides)));
  config->windows = std::move(windows);
  return {};
}

Result<ModelDescription> DescribeGemma2(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.head_dim = 256,
                                 .positions = 8192,
                                 .activation_key = "hidden_activation",
                                 .activation = "gelu_pytorch_tanh",
                                 .is_tied = true}));
  HEADSCOPE_TRY(RefuseBidirectional(json));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(ReadScores(json, &config));
  HEADSCOPE_TRY(ReadAlternatingWindows(json, &config));
  config.query_bias = bias;
  config.output_bias = bias;
  config.norm_offset = 1.0;
  config.has_norm_inside = true;
  config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  return DescribeLlama(kGemma2Family.id, config);
}

}  // namespace

const Family kGemma2Family = {
    .id = "gemma2",
    .detect = IsGemma2,
    .describe = DescribeGemma2,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "gemma2", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 6,
                   "query_pre_attn_scalar": 8, "attn_logit_softcapping": 2.5,
                   "sliding_window": 5, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
