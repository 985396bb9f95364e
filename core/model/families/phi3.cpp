// Phi 3 and 4: Llama's layout; one matrix has queries, keys and values, one both halves of the
// gated MLP.
//
// Source   Abdin 2024; tensors as transformers' Phi3Model names them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kPhi3Family;
namespace {

Result<ModelDescription> DescribePhi3(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json, {.positions = 4096, .epsilon = 1e-5, .partial_factor = 1.0}));
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 0, kMaxPositions, 0));
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  config.names.fused_queries = "qkv_proj";
  config.names.fused_gate = "mlp.gate_up_proj";
  return DescribeLlama(kPhi3Family.id, config);
}

}  // namespace

const Family kPhi3Family = {
    .id = "phi3",
    .describe = DescribePhi3,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "phi3", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "partial_rotary_factor": 0.5,
                   "vocab_size": 11})",
};

}  // namespace headscope
