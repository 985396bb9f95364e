// Llama, and models trained in its layout under its name (SmolLM, TinyLlama, ...).
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kLlamaFamily;
namespace {

bool IsLlama(std::string_view model_type) {
  return model_type == "llama";
}

Result<ModelDescription> Describe(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto mlp_bias, ReadBias(json, "mlp_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  config.mlp_bias = mlp_bias;
  return DescribeLlama(kLlamaFamily.id, config);
}

}  // namespace

const Family kLlamaFamily = {
    .id = "llama",
    .detect = IsLlama,
    .describe = Describe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "llama", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 12, "head_dim": 4,
                   "intermediate_size": 10, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
