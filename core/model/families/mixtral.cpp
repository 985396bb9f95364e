// Mixtral: Mistral with experts, of which each token has two.
//
// Source   Jiang 2024; tensors as the files on the Hub name them.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMixtralFamily;
namespace {

Result<ModelDescription> DescribeMixtral(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json, {.positions = 131'072, .theta = 1e6, .epsilon = 1e-5}));
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(json,
                  {.count = "num_local_experts", .inner = "intermediate_size", .usual_count = 8}));
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 0, kMaxPositions, 0));
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  experts.is_normalised = true;
  experts.block = "block_sparse_moe.";
  experts.up = "w3";
  experts.gate = "w1";
  experts.down = "w2";
  config.experts = experts;
  return DescribeLlama(kMixtralFamily.id, config);
}

}  // namespace

const Family kMixtralFamily = {
    .id = "mixtral",
    .describe = DescribeMixtral,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "mixtral", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "num_local_experts": 3, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
