// Qwen 3, and what reads text in Qwen 3 VL: Llama's layout; the queries and keys of each head are normed before rotation.
//
// Source   Yang 2025.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kQwen3Family;
namespace {

Result<ModelDescription> DescribeQwen3(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {.head_dim = 128, .positions = 32'768}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  HEADSCOPE_TRY(ReadUpperWindows(json, &config));
  return DescribeLlama(kQwen3Family.id, config);
}

}  // namespace

const Family kQwen3Family = {
    .id = "qwen3",
    .other_types = "qwen3_vl_text",
    .describe = DescribeQwen3,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "qwen3", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 6,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
