// Granite 3: Llama's layout; embeddings, scores and what each half adds are multiplied.
//
// With r the multiplier of what is added, the stream divided by r has plain additions: embeddings
// are divided by r once, and the norms' epsilons by r squared. Maps and outputs are the same.
//
// Source   Granite Team 2024; tensors as transformers' GraniteModel names them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kGraniteFamily;
namespace {

constexpr double kMostMultiplier = 1e6;

Result<ModelDescription> DescribeGranite(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  HEADSCOPE_TRY(const auto embedding,
                json.Number("embedding_multiplier", -kMostMultiplier, kMostMultiplier, 1.0));
  HEADSCOPE_TRY(const auto added,
                json.Number("residual_multiplier", 1.0 / kMostMultiplier, kMostMultiplier, 1.0));
  HEADSCOPE_TRY(const auto scale,
                json.Number("attention_multiplier", -kMostMultiplier, kMostMultiplier, 1.0));
  config.scale = scale;
  config.embedding_scale = embedding / added;
  config.epsilon /= added * added;
  return DescribeLlama(kGraniteFamily.id, config);
}

}  // namespace

const Family kGraniteFamily = {
    .id = "granite",
    .describe = DescribeGranite,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "granite", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "residual_multiplier": 0.22, "embedding_multiplier": 12,
                   "attention_multiplier": 0.3, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
