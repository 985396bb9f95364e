// SmolLM 3: Llama's layout; every fourth layer has no positions.
//
// Source   transformers' SmolLM3Model; layers without positions: Kazemnejad 2023.
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kSmollm3Family;
namespace {

// "no_rope_layers" has 1 for the layers that do have rotary positions.
Result<std::vector<bool>> ReadTurns(const JsonObject& json, std::int64_t layers) {
  constexpr const char* kInterval = "no_rope_layer_interval";  // nothing asks for it beside a list
  HEADSCOPE_TRY(const auto interval,
                json.Has("no_rope_layers") ? Result<std::int64_t>(4)
                                           : json.Integer(kInterval, 1, kMaxLayers, 4));
  const auto turns = [&](auto layer) { return (layer + 1) % interval != 0; };
  return ReadLayerFlags(json, "no_rope_layers", LayersWhere(layers, turns));
}

Result<ModelDescription> DescribeSmollm3(const JsonObject& json) {
  HEADSCOPE_TRY(
      auto config,
      ReadLlamaConfig(json, {.positions = 32'768, .theta = 2'000'000.0, .is_tied = true}));
  HEADSCOPE_TRY(auto turns, ReadTurns(json, config.sizes.layers));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto mlp_bias, ReadBias(json, "mlp_bias", false));
  HEADSCOPE_TRY(const auto uses_window, json.Boolean("use_sliding_window", false));
  HEADSCOPE_TRY(
      const auto window,
      uses_window ? json.Integer("sliding_window", 0, kMaxPositions, 0) : Result<std::int64_t>(0));
  // Only the layers without positions may have a window.
  std::vector<bool> slides = turns;
  slides.flip();
  if (uses_window && window > 0) {
    HEADSCOPE_TRY(auto windows, ReadWindows(json, window, std::move(slides)));
    config.windows = std::move(windows);
  }
  config.turns = std::move(turns);
  config.query_bias = bias;
  config.output_bias = bias;
  config.mlp_bias = mlp_bias;
  return DescribeLlama(kSmollm3Family.id, config);
}

}  // namespace

const Family kSmollm3Family = {
    .id = "smollm3",
    .describe = DescribeSmollm3,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "smollm3", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "no_rope_layers": [1, 0, 1], "max_position_embeddings": 16,
                   "vocab_size": 11})",
};

}  // namespace headscope
