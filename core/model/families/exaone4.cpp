// EXAONE 4: Llama's layout, with norms on the results of its halves and on the queries and keys of
// each head. Where some layers have a window, the others have no positions.
//
// Source   LG AI Research 2025; as transformers' Exaone4Model computes it.
#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kExaone4Family;
namespace {

Result<ModelDescription> DescribeExaone4(const JsonObject& json) {
  HEADSCOPE_TRY(auto config, ReadLlamaConfig(json, {.epsilon = 1e-5}));
  const bool has_windows = !json.IsNull("sliding_window");
  HEADSCOPE_TRY(const auto interval,
                has_windows ? json.Integer("sliding_window_pattern", 0, kMaxLayers, 4)
                            : Result<std::int64_t>(0));
  HEADSCOPE_TRY(ReadIntervalWindows(json, interval, has_windows ? 4096 : 0, &config));
  if (has_windows) {
    TurnInWindowsAlone(&config);
  }
  config.norms = NormPlacing::kInside;
  config.query_key_norm = QueryKeyNorm::kEachHead;
  return DescribeLlama(kExaone4Family.id, config);
}

}  // namespace

const Family kExaone4Family = {
    .id = "exaone4",
    .describe = DescribeExaone4,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "exaone4", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "sliding_window": 5, "layer_types": ["sliding_attention", "full_attention",
                   "sliding_attention"], "vocab_size": 11})",
};

}  // namespace headscope
