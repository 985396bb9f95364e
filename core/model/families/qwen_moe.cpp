// Qwen 2 and 3 with experts in all layers or some; in Qwen 2 every token has a shared one, too.
// Mellum is Qwen 3 with windows.
//
// Source   Yang 2024, 2025; JetBrains 2025; tensors as the files on the Hub name them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kQwenMoeFamily;
namespace {

Result<ModelDescription> DescribeQwenMoe(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_second = type == kQwenMoeFamily.id;
  const bool is_mellum = type == "mellum";
  const bool is_pictured = type == "qwen3_vl_moe_text";
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json,
          {.head_dim = is_mellum || is_pictured ? std::optional<std::int64_t>(128) : std::nullopt,
           .positions = is_pictured ? 128'000
                        : is_mellum ? 131'072
                                    : 32'768,
           .theta = is_pictured ? 500'000.0 : kUsualRotaryBase,
           .is_tied = is_pictured,
           .rotary_layers = is_mellum ? "full_attention" : ""}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.usual_count = is_second ? 60 : 128,
                             .usual_chosen = is_second ? 4 : 8,
                             .usual_inner = is_second ? 1408 : 768}));
  HEADSCOPE_TRY(auto sparse, ReadSparseSteps(json, config.sizes.layers));
  experts.layers = std::move(sparse);
  if (is_second) {
    HEADSCOPE_TRY(const auto shared,
                  json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 5632));
    HEADSCOPE_TRY(const auto bias, ReadBias(json, "qkv_bias", true));
    experts.shared_inner = shared;
    config.query_bias = bias;
  } else {
    HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
    config.query_bias = bias;
    config.output_bias = bias;
    config.query_key_norm = QueryKeyNorm::kEachHead;
  }
  if (is_mellum) {
    HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", true));
    experts.choice.is_normalised = is_normalised;
    HEADSCOPE_TRY(experts.layers, ReadSparseLayers(json, config.sizes.layers, 0));
    HEADSCOPE_TRY(ReadIntervalWindows(json, 0, 1024, &config));
    HEADSCOPE_TRY(ReadWindowRotary(json, "rope_theta", kUsualRotaryBase, &config));
    config.experts = std::move(experts);
    ModelDescription model = DescribeLlama(kQwenMoeFamily.id, config);
    model.unread.emplace_back("mtp.");
    return model;
  }
  experts.choice.is_normalised = experts.choice.is_normalised || is_pictured;
  HEADSCOPE_TRY(ReadUpperWindows(json, &config));
  config.experts = std::move(experts);
  return DescribeLlama(kQwenMoeFamily.id, config);
}

}  // namespace

const Family kQwenMoeFamily = {
    .id = "qwen2_moe",
    .other_types = "mellum qwen3_moe qwen3_vl_moe_text",
    .describe = DescribeQwenMoe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "qwen2_moe", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "moe_intermediate_size": 6, "shared_expert_intermediate_size": 7,
                   "num_experts": 3, "num_experts_per_tok": 2, "decoder_sparse_step": 2,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
