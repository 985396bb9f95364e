// What reads text in Aria: Llama's layout with experts, of which several are for every token.
//
// Source   Li 2024; tensors as the files on the Hub name them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kAriaFamily;
namespace {

Result<ModelDescription> DescribeAria(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "moe_num_experts",
                             .inner = "intermediate_size",
                             .chosen = "moe_topk",
                             .usual_count = 8}));
  HEADSCOPE_TRY(ReadShared(json, "moe_num_shared_experts", 2, &experts));
  experts.choice.is_normalised = true;
  experts.router = "router";
  config.experts = std::move(experts);
  return DescribeLlama(kAriaFamily.id, config);
}

}  // namespace

const Family kAriaFamily = {
    .id = "aria_text",
    .describe = DescribeAria,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "aria_text", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 6,
                   "moe_num_experts": 3, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
