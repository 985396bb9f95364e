// Qwen 3.5, with experts in every layer or none: Qwen 3 with a memory in place of attention in most layers.
//
// Source   Qwen Team 2026; tensors as transformers' Qwen3_5TextModel and Qwen3_5MoeTextModel name them.
#include <utility>

#include "core/model/qwen_memory.h"

namespace headscope {
extern const Family kQwen35Family;
namespace {

Result<ModelDescription> DescribeQwen35(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool has_experts = type == "qwen3_5_moe_text";
  HEADSCOPE_TRY(auto config,
                ReadQwenMemoryConfig(
                    json,
                    {.heads = 16,
                     .kv_heads = has_experts ? 2 : 4,
                     .vocabulary = 248'320,
                     .head_dim = 256,
                     .positions = 32'768,
                     .partial_factor = 0.25,
                     .inner_factor = has_experts ? std::optional<std::int64_t>(1) : std::nullopt}));
  if (has_experts) {
    HEADSCOPE_TRY(auto experts,
                  ReadExperts(json, {.usual_count = 256, .usual_chosen = 8, .usual_inner = 512}));
    HEADSCOPE_TRY(experts.shared_inner,
                  json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 512));
    experts.choice.is_normalised = true;
    config.experts = std::move(experts);
  }
  return DescribeQwenMemory(json, kQwen35Family.id, MemoryStorage::kApart, config);
}

}  // namespace

const Family kQwen35Family = {
    .id = "qwen3_5_text",
    .other_types = "qwen3_5_moe_text",
    .describe = DescribeQwen35,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "qwen3_5_text", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 8, "intermediate_size": 10,
                   "layer_types": ["linear_attention", "full_attention", "linear_attention",
                   "linear_attention", "full_attention", "full_attention"],
                   "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 3,
                   "linear_value_head_dim": 5, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
