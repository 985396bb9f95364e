// OLMo: Llama's layout. The first version's norms have no weights; from the second on, each half
// norms its result and not its input, and queries and keys are normed over their whole width; in the
// third, three layers in four have a window. OLMoE has experts, and queries and keys normed so;
// FlexOlmo is the second with experts.
//
// Source   Groeneveld 2024, OLMo Team 2025; as transformers computes them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kOlmoFamily;
namespace {

Result<ModelDescription> DescribeOlmo(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_first = type == "olmo";
  const bool is_third = type == "olmo3";
  const bool is_flex = type == "flex_olmo";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.theta = is_third || is_flex ? 500'000.0 : kUsualRotaryBase,
                                 .epsilon = is_flex ? 1e-6 : 1e-5,
                                 .rotary_layers = is_third ? "full_attention" : ""}));
  HEADSCOPE_TRY(const auto limit, json.Number("clip_qkv", 0.0, 1e9, 0.0));
  config.projection_limit = type == "olmo" || type == "olmoe" ? limit : 0.0;
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  if (type == "olmoe" || is_flex) {
    HEADSCOPE_TRY(const auto experts,
                  ReadExperts(json,
                              {.inner = "intermediate_size",
                               .usual_count = is_flex ? 7 : 64,
                               .usual_chosen = is_flex ? 5 : 8}));
    config.experts = experts;
  }
  if (type == "olmoe") {
    config.query_key_norm = QueryKeyNorm::kWholeWidth;
  } else if (is_first) {
    config.norm_kind = NormKind::kLayer;
    config.has_norm_weights = false;
    config.epsilon = 1e-5;
  } else {
    config.norms = NormPlacing::kInside;
    config.query_key_norm = QueryKeyNorm::kWholeWidth;
  }
  if (is_third) {
    HEADSCOPE_TRY(ReadIntervalWindows(json, 4, 4096, &config));
    HEADSCOPE_TRY(ReadWindowRotary(json, "rope_theta", 500'000.0, &config));
  }
  return DescribeLlama(kOlmoFamily.id, config);
}

}  // namespace

const Family kOlmoFamily = {
    .id = "olmo",
    .other_types = "flex_olmo olmo2 olmo3 olmoe",
    .describe = DescribeOlmo,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "olmo3", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"], "vocab_size": 11})",
};

}  // namespace headscope
