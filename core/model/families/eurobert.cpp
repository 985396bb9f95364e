// EuroBERT: Llama's layout without a mask.
//
// Source   Boizard 2025; tensors as transformers' EuroBertModel names them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kEurobertFamily;
namespace {

Result<ModelDescription> DescribeEurobert(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {.positions = 8192, .epsilon = 1e-5}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  config.is_causal = false;
  ModelDescription model = DescribeLlama(kEurobertFamily.id, config);
  model.output_layer.reset();
  return model;
}

}  // namespace

const Family kEurobertFamily = {
    .id = "eurobert",
    .describe = DescribeEurobert,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "eurobert", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
