// Granite 4 "h": Granite's layout, with experts or without, in a few layers, which have no positions; the
// others are state spaces.
//
// Source   IBM 2025; tensors as transformers' GraniteMoeHybridModel names them, matrices [out, in].
#include <utility>

#include <fmt/format.h>

#include "core/model/granite_layout.h"
#include "core/model/mamba.h"
#include "core/model/plain_blocks.h"

namespace headscope {
extern const Family kGraniteHybridFamily;
namespace {

Result<std::optional<LlamaExperts>> ReadHybridExperts(const JsonObject& json) {
  HEADSCOPE_TRY(const auto count, json.Integer("num_local_experts", 0, kMaxExperts, 8));
  if (count == 0) {
    return std::nullopt;
  }
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(json,
                  {.count = "num_local_experts", .inner = "intermediate_size", .usual_count = 8}));
  experts.choice.is_normalised = true;
  experts.block = "block_sparse_moe.";
  experts.router = "router.layer";
  return experts;
}

Result<ModelDescription> DescribeGraniteHybrid(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {}));
  HEADSCOPE_TRY(config.query_bias, ReadBias(json, "attention_bias", false));
  config.output_bias = config.query_bias;
  HEADSCOPE_TRY(const auto shared,
                json.Integer("shared_intermediate_size", 1, kMaxInnerWidth, 1024));
  HEADSCOPE_TRY(const auto positions, json.String("position_embedding_type", "nope"));
  HEADSCOPE_TRY(const auto mamba, ReadMamba(json, {}, config.sizes.model_dim));
  HEADSCOPE_TRY(const auto attends,
                ReadAttending(json, "linear_attention", LayersWhere(config.sizes.layers, [](auto) {
                                return false;
                              })));
  HEADSCOPE_TRY(config.experts, ReadHybridExperts(json));
  const double epsilon = config.epsilon;  // of what is not the stream
  HEADSCOPE_TRY(ReadGraniteFactors(json, 1.0, &config));
  if (positions != "rope") {
    config.turns = LayersWhere(config.sizes.layers, [](auto) { return false; });
  }
  ModelDescription model = DescribeLlama(kGraniteHybridFamily.id, config);
  if (positions != "rope") {
    model.position_scheme = PositionScheme::kNone;
  }
  HEADSCOPE_TRY(const auto is_apart, json.Boolean("gate_is_apart", false));
  for (std::size_t i = 0; i < model.layer.size(); ++i) {
    LayerDescription& layer = model.layer[i];
    MlpNeeds mlp = GraniteSharedMlp(i, model.model_dim, shared, is_apart);
    if (layer.experts) {
      layer.experts->shared = std::move(mlp);
    } else {
      layer.mlp_up = std::move(mlp.up);
      layer.mlp_gate = std::move(mlp.gate);
      layer.mlp_down = std::move(mlp.down);
    }
  }
  const auto fill = [&](std::size_t layer, PlainBlock* block) {
    block->memory =
        MambaMemory(fmt::format("layers.{}.mamba.", layer), model.model_dim, epsilon, mamba);
  };
  MakePlainBlocks(attends, kStateSpaces, fill, &model);
  return model;
}

}  // namespace

const Family kGraniteHybridFamily = {
    .id = "granitemoehybrid",
    .describe = DescribeGraniteHybrid,
    .prefixes = kLlamaPrefixes,
    .example =
        R"({"model_type": "granitemoehybrid", "num_hidden_layers": 6, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 6,
                   "layer_types": ["mamba", "attention", "mamba", "mamba", "attention", "attention"],
                   "num_local_experts": 3, "shared_intermediate_size": 10, "mamba_n_heads": 4,
                   "mamba_n_groups": 2, "mamba_d_state": 3, "residual_multiplier": 0.5,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
