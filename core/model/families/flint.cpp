// Flint: Qwen 3 with experts, a router by sigmoids, a shared expert without a gate, and a sink beside
// the keys of each head. Only layers with a window have positions.
//
// Source   Recursive 2026; tensors as transformers' FlintModel names them.
#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kFlintFamily;
namespace {

// All layers have experts but the first two, or those that are named.
Result<std::vector<bool>> ReadSparse(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(auto dense,
                ReadLayerNumbers(json,
                                 "mlp_only_layers",
                                 NumberBeyond::kIgnored,
                                 LayersWhere(layers, [](auto layer) { return layer < 2; })));
  dense.flip();
  return dense;
}

// All layers have a window but the first two, every fourth and the last.
Result<std::vector<std::int64_t>> ReadFlintWindows(const JsonObject& json, std::int64_t layers) {
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 1, kMaxPositions, 513));
  return ReadWindows(json, window, LayersWhere(layers, [&](auto layer) {
                       return layer >= 2 && layer % 4 != 1 && layer != layers - 1;
                     }));
}

Result<ModelDescription> DescribeFlint(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json, {.kv_heads = 4, .head_dim = 128, .positions = 262'144}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 256, .usual_chosen = 6, .usual_inner = 512}));
  HEADSCOPE_TRY(const auto shared,
                json.Integer("shared_expert_intermediate_size", 1, kMaxInnerWidth, 1024));
  HEADSCOPE_TRY(const auto is_normalised, json.Boolean("norm_topk_prob", true));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(experts.layers, ReadSparse(json, config.sizes.layers));
  HEADSCOPE_TRY(config.windows, ReadFlintWindows(json, config.sizes.layers));
  experts.shared_inner = shared;
  experts.shared_gate = {};
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.is_normalised = is_normalised;
  config.experts = std::move(experts);
  config.query_bias = bias;
  config.output_bias = bias;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  TurnInWindowsAlone(&config);
  ModelDescription model = DescribeLlama(kFlintFamily.id, config);
  for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
    const std::string attention = fmt::format("layers.{}.self_attn.", layer);
    model.layer[layer].sinks = TensorNeed{.name = attention + "softmax_offset",
                                          .shape = {model.heads},
                                          .stand_ins = {attention + "sinks"}};
  }
  return model;
}

}  // namespace

const Family kFlintFamily = {
    .id = "flint",
    .describe = DescribeFlint,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "flint", "num_hidden_layers": 4, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "head_dim": 4, "hidden_size": 16, "intermediate_size": 10,
                   "moe_intermediate_size": 6, "shared_expert_intermediate_size": 7,
                   "num_experts": 3, "num_experts_per_tok": 2, "sliding_window": 4,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
