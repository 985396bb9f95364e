// Nemotron 3 and 4, Arcee and Jais 2: Llama's layout with a plain MLP of squared ReLU. Nemotron
// and Jais have layer norms; Nemotron keeps their weights around 0, and rotates half of each head.
//
// Source   Parmar 2024; Arcee AI 2025; Inception 2025; tensors as transformers' classes name them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kNemotronFamily;
namespace {

Result<ModelDescription> DescribeNemotron(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_nemotron = type == kNemotronFamily.id;
  const bool is_jais = type == "jais2";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = is_jais ? 8192 : 4096,
                                 .activation = "relu2",
                                 .epsilon_key = is_nemotron ? "norm_eps"
                                                : is_jais   ? "layer_norm_eps"
                                                            : "rms_norm_eps",
                                 .epsilon = 1e-5,
                                 .partial_factor = is_nemotron ? 0.5 : 0.0}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config, is_jais));
  config.norm_kind = is_nemotron || is_jais ? NormKind::kLayer : NormKind::kRms;
  config.norm_offset = is_nemotron ? 1.0 : 0.0;
  config.names.gate = {};
  return DescribeLlama(kNemotronFamily.id, config);
}

}  // namespace

const Family kNemotronFamily = {
    .id = "nemotron",
    .other_types = "arcee jais2",
    .describe = DescribeNemotron,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "nemotron", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
