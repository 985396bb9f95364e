// Qwen 3 Next: Qwen 3 with experts and a shared one, and a memory in place of attention in most layers.
//
// Source   Qwen Team 2025; tensors as transformers' Qwen3NextModel names them.
#include <utility>

#include "core/model/qwen_memory.h"

namespace headscope {
extern const Family kQwen3NextFamily;
namespace {

Result<ModelDescription> DescribeQwen3Next(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadQwenMemoryConfig(json,
                                     {.heads = 16,
                                      .kv_heads = 2,
                                      .vocabulary = 151'936,
                                      .head_dim = 256,
                                      .positions = 32'768,
                                      .partial_factor = 0.25}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 512, .usual_chosen = 10, .usual_inner = 512}));
  HEADSCOPE_TRY(experts.layers, ReadSparseSteps(json, config.sizes.layers));
  HEADSCOPE_TRY(experts.shared_inner,
                json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 512));
  HEADSCOPE_TRY(experts.choice.is_normalised, json.Boolean("norm_topk_prob", true));
  config.experts = std::move(experts);
  return DescribeQwenMemory(json, kQwen3NextFamily.id, MemoryStorage::kTogether, config);
}

}  // namespace

const Family kQwen3NextFamily = {
    .id = "qwen3_next",
    .describe = DescribeQwen3Next,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "qwen3_next", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 8, "intermediate_size": 10,
                   "layer_types": ["linear_attention", "full_attention", "linear_attention",
                   "linear_attention", "full_attention", "full_attention"],
                   "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 3,
                   "linear_value_head_dim": 5, "num_experts": 3, "num_experts_per_tok": 2,
                   "moe_intermediate_size": 6, "shared_expert_intermediate_size": 7,
                   "mlp_only_layers": [2], "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
