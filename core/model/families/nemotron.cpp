// Nemotron 3 and 4, and Arcee: Llama's layout with a plain MLP of squared ReLU. Nemotron has layer
// norms, whose weights are kept around 0, and rotates half of each head.
//
// Source   Parmar 2024; Arcee AI 2025; tensors as transformers' classes name them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kNemotronFamily;
namespace {

Result<ModelDescription> DescribeNemotron(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_nemotron = type == kNemotronFamily.id;
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 4096,
                                 .activation = "relu2",
                                 .epsilon_key = is_nemotron ? "norm_eps" : "rms_norm_eps",
                                 .epsilon = 1e-5,
                                 .partial_factor = is_nemotron ? 0.5 : 0.0}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  if (is_nemotron) {
    config.norm_kind = NormKind::kLayer;
    config.norm_offset = 1.0;
  }
  config.names.gate = {};
  return DescribeLlama(kNemotronFamily.id, config);
}

}  // namespace

const Family kNemotronFamily = {
    .id = "nemotron",
    .other_types = "arcee",
    .describe = DescribeNemotron,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "nemotron", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
