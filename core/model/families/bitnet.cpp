// BitNet: Llama's layout; what attention and the MLP's gate make is normed before each goes back to the
// model's width.
//
// Source   Ma 2025; tensors as transformers' BitNetModel names them.
#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kBitnetFamily;
namespace {

Result<ModelDescription> DescribeBitnet(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json,
          {.kv_heads = json.IsNull("num_key_value_heads") ? std::optional<std::int64_t>() : 5,
           .theta = 500'000.0,
           .activation = "relu2",
           .epsilon = 1e-5}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  config.query_bias = bias;
  config.output_bias = bias;
  ModelDescription model = DescribeLlama(kBitnetFamily.id, config);
  for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
    const std::string prefix = fmt::format("layers.{}.", layer);
    model.layer[layer].context_norm =
        RmsNorm(prefix + "self_attn.attn_sub_norm", model.heads * model.head_dim, config.epsilon);
    model.layer[layer].mlp_inner_norm =
        RmsNorm(prefix + "mlp.ffn_sub_norm", config.sizes.inner, config.epsilon);
  }
  return model;
}

}  // namespace

const Family kBitnetFamily = {
    .id = "bitnet",
    .describe = DescribeBitnet,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "bitnet", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
