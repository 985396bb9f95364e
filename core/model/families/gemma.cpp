// Gemma: Llama's layout; norm weights kept around 0, embeddings times sqrt(d), wide heads.
//
// Source   Gemma Team 2024.
#include <cmath>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGemmaFamily;
namespace {

Result<ModelDescription> DescribeGemma(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.head_dim = 256,
                                 .positions = 8192,
                                 .activation = "gelu_pytorch_tanh",
                                 .is_tied = true}));
  HEADSCOPE_TRY(RefuseBidirectional(json));
  // The first files say "gelu" but mean its tanh form.
  if (config.activation == ActivationKind::kGelu) {
    config.activation = ActivationKind::kGeluTanh;
  }
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  config.norm_offset = 1.0;
  config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  return DescribeLlama(kGemmaFamily.id, config);
}

}  // namespace

const Family kGemmaFamily = {
    .id = "gemma",
    .describe = DescribeGemma,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "gemma", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 6,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
