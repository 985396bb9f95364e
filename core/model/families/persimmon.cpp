// Persimmon: layer norms before each half, on queries and on keys; half of each head is rotated, and
// one matrix has queries, keys and values head by head.
//
// Source   Elsen 2023; tensors as transformers' PersimmonModel names them, matrices [out, in].
#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kPersimmonFamily;
namespace {

Result<ModelDescription> DescribePersimmon(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 16'384,
                                 .theta = 25'000.0,
                                 .activation = "relu2",
                                 .epsilon_key = "layer_norm_eps",
                                 .epsilon = 1e-5,
                                 .partial_factor = 0.5}));
  HEADSCOPE_TRY(const auto norms_heads, json.Boolean("qk_layernorm", true));
  config.norm_kind = NormKind::kLayer;
  config.query_bias = HasBias::kYes;
  config.output_bias = HasBias::kYes;
  config.mlp_bias = HasBias::kYes;
  config.query_key_norm = norms_heads ? QueryKeyNorm::kEachHead : QueryKeyNorm::kNone;
  config.names = {.output = "dense",
                  .query_norm = "q_layernorm",
                  .key_norm = "k_layernorm",
                  .fused_queries = "query_key_value",
                  .up = "mlp.dense_h_to_4h",
                  .gate = {},
                  .down = "mlp.dense_4h_to_h"};
  ModelDescription model = DescribeLlama(kPersimmonFamily.id, config);
  model.final_norm = LayerNorm("final_layernorm", config.sizes.model_dim, config.epsilon);
  for (LayerDescription& layer : model.layer) {
    layer.query_key_value.fused_heads = config.sizes.heads;
  }
  return model;
}

}  // namespace

const Family kPersimmonFamily = {
    .id = "persimmon",
    .describe = DescribePersimmon,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "persimmon", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "hidden_size": 16, "intermediate_size": 10, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
