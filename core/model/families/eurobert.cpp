// EuroBERT: Llama's layout without a mask. In UltraBERT all layers but every third look at windows to both
// sides, and turn by a base of their own.
//
// Source   Boizard 2025; tensors as transformers' classes name them.
#include <array>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kEurobertFamily;
namespace {

constexpr std::array<std::string_view, 4> kEurobertPrefixes = {
    "model.", "transformer.", "ultrabert.", ""};

Result<ModelDescription> DescribeEurobert(const JsonObject& json) {
  HEADSCOPE_TRY(const auto type, json.String("model_type"));
  const bool has_windows = type == "ultrabert";
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                has_windows ? LlamaDefaults{.positions = 32'768,
                                                            .theta = 2'560'000.0,
                                                            .rotary_layers = "full_attention"}
                                            : LlamaDefaults{.positions = 8192, .epsilon = 1e-5}));
  HEADSCOPE_TRY(ReadAttentionAndMlpBias(json, &config));
  if (has_windows) {
    HEADSCOPE_TRY(ReadIntervalWindows(json, 3, 128, &config));
    HEADSCOPE_TRY(ReadWindowRotary(json, "rope_theta", kUsualRotaryBase, &config));
    for (std::int64_t& window : config.windows) {  // the token itself is not counted
      window += window > 0 ? 1 : 0;
    }
  }
  config.is_causal = false;
  ModelDescription model = DescribeLlama(kEurobertFamily.id, config);
  model.output_layer.reset();
  return model;
}

}  // namespace

const Family kEurobertFamily = {
    .id = "eurobert",
    .other_types = "ultrabert",
    .describe = DescribeEurobert,
    .prefixes = kEurobertPrefixes,
    .example = R"({"model_type": "eurobert", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
