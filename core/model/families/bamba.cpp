// Bamba: Llama's layout with half of each head rotated in a few layers; the others are state spaces.
//
// Source   Ganti 2024; tensors as transformers' BambaModel names them, matrices [out, in].
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"
#include "core/model/mamba.h"
#include "core/model/plain_blocks.h"

namespace headscope {
extern const Family kBambaFamily;
namespace {

Result<ModelDescription> DescribeBamba(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json, {.kv_heads = 8, .positions = 262'144, .epsilon = 1e-5, .partial_factor = 0.5}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  HEADSCOPE_TRY(const auto mamba, ReadMamba(json, {}, config.sizes.model_dim));
  HEADSCOPE_TRY(const auto attends,
                ReadLayerNumbers(json,
                                 "attn_layer_indices",
                                 NumberBeyond::kIgnored,
                                 LayersWhere(config.sizes.layers, [](auto) { return false; })));
  HEADSCOPE_TRY(RequireAttention(json, "attn_layer_indices", attends));
  config.names.mlp_norm = "pre_ff_layernorm";
  config.names.up = "feed_forward.up_proj";
  config.names.gate = "feed_forward.gate_proj";
  config.names.down = "feed_forward.down_proj";
  ModelDescription model = DescribeLlama(kBambaFamily.id, config);
  model.final_norm->weight.name = "final_layernorm.weight";
  const auto fill = [&](std::size_t layer, PlainBlock* block) {
    block->memory = MambaMemory(
        fmt::format("layers.{}.mamba.", layer), config.sizes.model_dim, config.epsilon, mamba);
  };
  MakePlainBlocks(attends, kStateSpaces, fill, &model);
  return model;
}

}  // namespace

const Family kBambaFamily = {
    .id = "bamba",
    .describe = DescribeBamba,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "bamba", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "attn_layer_indices": [1, 4, 5], "mamba_n_heads": 4, "mamba_d_head": 8,
                   "mamba_n_groups": 2, "mamba_d_state": 3, "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
