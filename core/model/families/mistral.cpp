// Mistral: Llama's layout; each token sees the last `sliding_window` ones.
//
// Source   Jiang 2023.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMistralFamily;
namespace {

bool IsMistral(std::string_view model_type) {
  return model_type == "mistral";
}

Result<ModelDescription> DescribeMistral(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {.positions = 131'072}));
  // In later models the key is null: no window.
  const std::int64_t usual = json.IsNull("sliding_window") ? 0 : 4096;
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 1, kMaxPositions, usual));
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  return DescribeLlama(kMistralFamily.id, config);
}

}  // namespace

const Family kMistralFamily = {
    .id = "mistral",
    .detect = IsMistral,
    .describe = DescribeMistral,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "mistral", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "vocab_size": 11})",
};

}  // namespace headscope
