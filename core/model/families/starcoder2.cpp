// StarCoder 2: Llama's layout with layer norms, biases everywhere and a plain MLP.
//
// Source   Lozhkov 2024; tensors as transformers' Starcoder2Model names them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kStarcoder2Family;
namespace {

Result<ModelDescription> DescribeStarcoder2(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 4096,
                                 .activation = "gelu_pytorch_tanh",
                                 .is_tied = true,
                                 .epsilon_key = "norm_epsilon",
                                 .epsilon = 1e-5}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "use_bias", true));
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 0, kMaxPositions, 0));
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  config.norm_kind = NormKind::kLayer;
  config.query_bias = bias;
  config.output_bias = bias;
  config.mlp_bias = bias;
  config.names.up = "mlp.c_fc";
  config.names.gate = {};
  config.names.down = "mlp.c_proj";
  return DescribeLlama(kStarcoder2Family.id, config);
}

}  // namespace

const Family kStarcoder2Family = {
    .id = "starcoder2",
    .describe = DescribeStarcoder2,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "starcoder2", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "vocab_size": 11})",
};

}  // namespace headscope
