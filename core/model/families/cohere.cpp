// Cohere's Command: Llama's matrices, attention and MLP side by side after one layer norm without a
// bias, neighbouring columns rotated. In Command R7B (cohere2) three layers in four have a window,
// and the others no positions.
//
// Source   Cohere 2024; tensors as transformers' CohereModel names them.
#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kCohereFamily;
namespace {

Result<ModelDescription> DescribeCohere(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_second = type == "cohere2";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.positions = 8192,
                                 .theta = is_second ? kUsualRotaryBase : 500'000.0,
                                 .is_tied = true,
                                 .epsilon_key = "layer_norm_eps",
                                 .epsilon = 1e-5}));
  HEADSCOPE_TRY(const auto norms_queries, json.Boolean("use_qk_norm", false));
  if (norms_queries) {
    return Fail(
        ErrorCode::kUnsupported,
        fmt::format("{}: \"use_qk_norm\" is true, expected false; a norm of each head's own "
                    "for queries and keys does not open yet",
                    json.name()));
  }
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  if (is_second) {
    HEADSCOPE_TRY(const auto interval, json.Integer("sliding_window_pattern", 1, kMaxLayers, 4));
    HEADSCOPE_TRY(ReadIntervalWindows(json, interval, 4096, &config));
    for (const std::int64_t window : config.windows) {
      config.turns.push_back(window > 0);
    }
  }
  config.norm_kind = NormKind::kLayer;
  config.has_norm_bias = false;
  config.is_parallel = true;
  config.rotary.table.pairs_neighbours = true;
  return DescribeLlama(kCohereFamily.id, config);
}

}  // namespace

const Family kCohereFamily = {
    .id = "cohere",
    .other_types = "cohere2",
    .describe = DescribeCohere,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "cohere2", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"], "vocab_size": 11})",
};

}  // namespace headscope
