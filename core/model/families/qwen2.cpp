// Qwen 2, and what reads text in Qwen 2 VL and 2.5 VL: Llama's layout; queries, keys and values have
// biases, upper layers may have a window.
//
// Source   Yang 2024.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kQwen2Family;
namespace {

Result<ModelDescription> DescribeQwen2(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {.positions = 32'768}));
  config.query_bias = HasBias::kYes;
  HEADSCOPE_TRY(ReadUpperWindows(json, &config));
  return DescribeLlama(kQwen2Family.id, config);
}

}  // namespace

const Family kQwen2Family = {
    .id = "qwen2",
    .other_types = "qwen2_vl qwen2_vl_text qwen2_5_vl qwen2_5_vl_text",
    .describe = DescribeQwen2,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "qwen2", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "use_sliding_window": true,
                   "sliding_window": 4, "max_window_layers": 1, "vocab_size": 11})",
};

}  // namespace headscope
