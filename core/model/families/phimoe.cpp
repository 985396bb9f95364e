// Phi 3.5 with experts: Llama's layout with layer norms; a sparse mixer chooses two experts.
//
// Source   Abdin 2024; tensors as the files on the Hub name them.
#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kPhimoeFamily;
namespace {

// Long texts have a factor of sines and cosines of their own.
Status ReadGain(const JsonObject& json, RotaryRule* rotary) {
  for (const char* key : {"rope_parameters", "rope_scaling"}) {
    HEADSCOPE_TRY(const auto scaling, json.Object(key));
    if (!scaling || !scaling->Has("short_mscale")) {
      continue;
    }
    HEADSCOPE_TRY(const auto gain, scaling->Number("short_mscale", 0.0, 1e6));
    HEADSCOPE_TRY(const auto of_long, scaling->Number("long_mscale", 0.0, 1e6, gain));
    if (gain != of_long) {
      return scaling->Refuse(
          "long_mscale",
          fmt::format("{} as \"short_mscale\"; others for long texts do not open", gain));
    }
    rotary->table.attention_factor = gain;
  }
  return {};
}

Result<ModelDescription> DescribePhimoe(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json, {.positions = 131'072, .theta = 1e6, .epsilon = 1e-5}));
  HEADSCOPE_TRY(
      auto experts,
      ReadExperts(json,
                  {.count = "num_local_experts", .inner = "intermediate_size", .usual_count = 16}));
  HEADSCOPE_TRY(const auto jitter, json.Number("router_jitter_noise", 0.0, 1e6, 0.01));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 0, kMaxPositions, 0));
  HEADSCOPE_TRY(ReadGain(json, &config.rotary));
  if (experts.choice.chosen != 2) {
    return json.Refuse("num_experts_per_tok", "2, which a sparse mixer takes");
  }
  config.windows.assign(static_cast<std::size_t>(config.sizes.layers), window);
  config.query_bias = bias;
  config.output_bias = bias;
  config.norm_kind = NormKind::kLayer;
  experts.choice.score = RouterScore::kSparseMixer;
  experts.choice.closeness = 2.0 * jitter;
  experts.block = "block_sparse_moe.";
  experts.up = "w3";
  experts.gate = "w1";
  experts.down = "w2";
  config.experts = experts;
  return DescribeLlama(kPhimoeFamily.id, config);
}

}  // namespace

const Family kPhimoeFamily = {
    .id = "phimoe",
    .describe = DescribePhimoe,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "phimoe", "num_hidden_layers": 3, "num_attention_heads": 4,
                   "num_key_value_heads": 2, "hidden_size": 16, "intermediate_size": 10,
                   "num_local_experts": 3, "attention_bias": true,
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
