// StableLM: Llama's layout with layer norms; part of each head is rotated, attention and MLP may run
// side by side.
//
// Source   Bellagente 2024; tensors as transformers' StableLmModel names them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kStablelmFamily;
namespace {

Result<ModelDescription> DescribeStablelm(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 4096,
                                 .epsilon_key = "layer_norm_eps",
                                 .epsilon = 1e-5,
                                 .partial_factor = 0.25}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "use_qkv_bias", false));
  HEADSCOPE_TRY(const auto is_parallel, json.Boolean("use_parallel_residual", false));
  HEADSCOPE_TRY(const auto norms_queries, json.Boolean("qk_layernorm", false));
  if (norms_queries) {
    config.query_key_norm = QueryKeyNorm::kHeadsOwn;
    config.names.query_norm = "q_layernorm";
    config.names.key_norm = "k_layernorm";
    config.names.has_norm_each = true;
  }
  config.norm_kind = NormKind::kLayer;
  config.query_bias = bias;
  config.is_parallel = is_parallel;
  return DescribeLlama(kStablelmFamily.id, config);
}

}  // namespace

const Family kStablelmFamily = {
    .id = "stablelm",
    .describe = DescribeStablelm,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "stablelm", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 32, "intermediate_size": 10,
                   "max_position_embeddings": 16, "use_parallel_residual": true,
                   "vocab_size": 11})",
};

}  // namespace headscope
