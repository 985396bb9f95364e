// Mistral and Ministral: Llama's layout; in all layers, or those that "layer_types" names, each
// token sees the last `sliding_window` ones. Queries of Ministral 3 grow with their position.
//
// Source   Jiang 2023; Mistral AI 2025 (Ministral 3).
#include <utility>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMistralFamily;
namespace {

Result<ModelDescription> DescribeMistral(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool is_third = type == "ministral3";
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(
          json,
          is_third
              ? LlamaDefaults{.head_dim = 128, .positions = 262'144, .theta = 1e6, .epsilon = 1e-5}
              : LlamaDefaults{.positions = 131'072}));
  HEADSCOPE_TRY(ReadQueryGrowth(json, &config));
  // In later models the key is null: no window.
  const std::int64_t usual = is_third || json.IsNull("sliding_window") ? 0 : 4096;
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 1, kMaxPositions, usual));
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  if (type == "ministral") {
    std::vector<bool> slides(config.windows.size(), window > 0);
    HEADSCOPE_TRY(auto windows, ReadWindows(json, window, std::move(slides)));
    config.windows = std::move(windows);
  }
  return DescribeLlama(kMistralFamily.id, config);
}

}  // namespace

const Family kMistralFamily = {
    .id = "mistral",
    .other_types = "ministral ministral3",
    .describe = DescribeMistral,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "mistral", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "vocab_size": 11})",
};

}  // namespace headscope
