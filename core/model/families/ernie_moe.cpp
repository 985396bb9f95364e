// ERNIE 4.5 with experts: Llama's layout; neighbouring columns turn, and scores are corrected.
//
// Source   Baidu 2025; tensors as the files on the Hub name them.
#include <algorithm>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kErnieMoeFamily;
namespace {

Result<std::vector<bool>> ReadErnieLayers(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto first, json.Integer("moe_layer_start_index", 0, kMaxLayers, 1));
  HEADSCOPE_TRY(const auto last, json.Integer("moe_layer_end_index", -1, kMaxLayers, -1));
  HEADSCOPE_TRY(const auto step, json.Integer("moe_layer_interval", 1, kMaxLayers, 1));
  return LayersWhere(layers, [&](auto layer) {
    return layer >= first && (last < 0 || layer <= last) && (layer + 1) % step == 0;
  });
}

Result<ModelDescription> DescribeErnieMoe(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json, {.positions = 131'072, .theta = 500'000.0, .is_tied = true, .epsilon = 1e-5}));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "use_bias", false));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "moe_num_experts",
                             .chosen = "moe_k",
                             .usual_count = 64,
                             .usual_chosen = 6,
                             .usual_inner = 1536}));
  HEADSCOPE_TRY(ReadShared(json, "moe_num_shared_experts", 2, &experts));
  HEADSCOPE_TRY(experts.layers, ReadErnieLayers(json, config.sizes.layers));
  experts.choice.is_normalised = true;
  experts.correction = "moe_statics.e_score_correction_bias";
  config.query_bias = bias;
  config.output_bias = bias;
  config.mlp_bias = bias;
  config.rotary.table.pairs_neighbours = true;
  config.experts = std::move(experts);
  ModelDescription model = DescribeLlama(kErnieMoeFamily.id, config);
  for (LayerDescription& layer : model.layer) {
    if (layer.experts) {
      layer.experts->correction->shape = {1, config.experts->count};
    }
  }
  model.unread.emplace_back("mtp_");
  return model;
}

}  // namespace

const Family kErnieMoeFamily = {
    .id = "ernie4_5_moe",
    .describe = DescribeErnieMoe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "ernie4_5_moe", "num_hidden_layers": 3,
                   "num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 16,
                   "intermediate_size": 10, "moe_intermediate_size": 6, "moe_num_experts": 3,
                   "moe_k": 2, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
