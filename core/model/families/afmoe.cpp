// Arcee's Trinity: Llama's layout with experts, windows, and norms of queries and keys. A gate made of
// the layer's input stands between attention and its output product; layers without a window have no
// positions.
//
// Source   Arcee AI 2025, as transformers computes it.
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kAfmoeFamily;
namespace {

constexpr std::array<OtherName, 2> kAfmoeNames = {
    {{"pre_feedforward_layernorm.", "pre_mlp_layernorm."},
     {"post_feedforward_layernorm.", "post_mlp_layernorm."}}};

Result<ModelDescription> DescribeAfmoe(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json, {.head_dim = 128, .positions = 16'384, .epsilon = 1e-5}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json, {.usual_count = 64, .usual_chosen = 6, .usual_inner = 1408}));
  HEADSCOPE_TRY(const auto dense, json.Integer("num_dense_layers", 0, kMaxLayers, 1));
  HEADSCOPE_TRY(const auto interval, json.Integer("global_attn_every_n_layers", 1, kMaxLayers, 4));
  HEADSCOPE_TRY(const auto factor, json.Number("route_scale", -1e6, 1e6, 1.0));
  HEADSCOPE_TRY(const auto scales, json.Boolean("mup_enabled", false));
  HEADSCOPE_TRY(ReadShared(json, "num_shared_experts", 2, &experts));
  HEADSCOPE_TRY(ReadIntervalWindows(json, interval, 1024, &config));
  TurnInWindowsAlone(&config);
  for (std::int64_t layer = 0; layer < config.sizes.layers; ++layer) {
    experts.layers.push_back(layer >= dense);
  }
  experts.choice.score = RouterScore::kSigmoid;
  experts.choice.is_normalised = true;
  experts.choice.factor = factor;
  experts.router = "router.gate";
  experts.correction = "expert_bias";
  config.experts = std::move(experts);
  config.norms = NormPlacing::kBeforeAndInside;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  config.output_gate = LlamaGate{};
  if (scales) {
    config.embedding_scale = std::sqrt(static_cast<double>(config.sizes.model_dim));
  }
  ModelDescription model = DescribeLlama(kAfmoeFamily.id, config);
  UseOtherNames(kAfmoeNames, &model);
  return model;
}

}  // namespace

const Family kAfmoeFamily = {
    .id = "afmoe",
    .describe = DescribeAfmoe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "afmoe", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "head_dim": 4,
                   "intermediate_size": 10, "moe_intermediate_size": 6, "num_experts": 3,
                   "num_experts_per_tok": 2, "num_shared_experts": 1, "num_dense_layers": 1,
                   "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"],
                   "mup_enabled": true, "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
