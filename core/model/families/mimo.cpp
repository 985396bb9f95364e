// MiMo 2 Flash: Llama's layout with experts; layers with a window have a sink a head, rotary positions
// of their own and twice as many heads of keys as the others. Values are narrower than keys, and
// scaled.
//
// Source   Xiaomi 2025; tensors as the files on the Hub name them.
#include <utility>

#include <fmt/format.h>

#include "core/model/llama_layout.h"

namespace headscope {
extern const Family kMimoFamily;
namespace {

constexpr double kTurningPart = 0.334;
constexpr std::int64_t kPeriod = 6;

// The first layer and every sixth have none, if "layer_types" says nothing else.
Status ReadMimoWindows(const JsonObject& json, LlamaConfig* config) {
  HEADSCOPE_TRY(const auto window, json.Integer("sliding_window", 1, kMaxPositions, 129));
  // In Xiaomi's own files: the keys before the query's own.
  HEADSCOPE_TRY(const auto before,
                json.Integer("sliding_window_size", 1, kMaxPositions, window - 1));
  const auto slides = [](auto layer) { return layer > 0 && (layer + 1) % kPeriod != 0; };
  HEADSCOPE_TRY(
      config->windows,
      headscope::ReadWindows(json, before + 1, LayersWhere(config->sizes.layers, slides)));
  const std::int64_t stored = config->sizes.kv_heads;
  bool has_window = false;
  for (const std::int64_t window : config->windows) {
    has_window = has_window || window > 0;
    config->stored_keys.push_back(window > 0 ? 2 * stored : stored);
  }
  if (!has_window) {
    config->stored_keys.clear();
    return {};
  }
  if (config->sizes.heads % (2 * stored) != 0) {
    return Fail(ErrorCode::kFormat,
                fmt::format("{}: {} heads share {} of keys in layers with a window, expected a "
                            "whole number for each (\"num_key_value_heads\" counts those of the "
                            "other layers)",
                            json.name(),
                            config->sizes.heads,
                            2 * stored));
  }
  config->sizes.kv_heads = 2 * stored;
  return ReadWindowRotary(json, "swa_rope_theta", kUsualRotaryBase, config);
}

Result<ModelDescription> DescribeMimo(const JsonObject& json) {
  HEADSCOPE_TRY(auto config,
                ReadLlamaConfig(json,
                                {.kv_heads = 4,
                                 .head_dim = 192,
                                 .positions = 131'072,
                                 .theta = 5e6,
                                 .epsilon = 1e-5,
                                 .partial_factor = kTurningPart,
                                 .rotary_layers = "full_attention"}));
  HEADSCOPE_TRY(auto experts,
                ReadExperts(json,
                            {.count = "n_routed_experts",
                             .usual_count = 256,
                             .usual_chosen = 8,
                             .usual_inner = 2048}));
  HEADSCOPE_TRY(const auto value_dim, json.Integer("v_head_dim", 1, kMaxWidth, 128));
  HEADSCOPE_TRY(const auto value_factor,
                json.IsNull("attention_value_scale")
                    ? Result<double>(1.0)
                    : json.Number("attention_value_scale", -1e6, 1e6, 0.707));
  HEADSCOPE_TRY(const auto bias, ReadBias(json, "attention_bias", false));
  HEADSCOPE_TRY(ReadGroups(json, &experts));
  HEADSCOPE_TRY(experts.layers, ReadSparseLayers(json, config.sizes.layers, 1));
  HEADSCOPE_TRY(ReadMimoWindows(json, &config));
  config.experts = std::move(experts);
  config.value_dim = value_dim;
  config.value_factor = value_factor;
  config.query_bias = bias;
  ModelDescription model = DescribeLlama(kMimoFamily.id, config);
  for (std::size_t layer = 0; layer < model.layer.size(); ++layer) {
    if (config.windows[layer] > 0) {
      model.layer[layer].sinks =
          TensorNeed{.name = fmt::format("layers.{}.self_attn.attention_sink_bias", layer),
                     .shape = {config.sizes.heads}};
    }
  }
  model.unread.emplace_back("mtp.");
  return model;
}

}  // namespace

const Family kMimoFamily = {
    .id = "mimo_v2_flash",
    .describe = DescribeMimo,
    .prefixes = kLlamaPrefixes,
    .example = R"({"model_type": "mimo_v2_flash", "num_hidden_layers": 3,
                   "num_attention_heads": 4, "num_key_value_heads": 1, "hidden_size": 16,
                   "head_dim": 6, "v_head_dim": 4, "partial_rotary_factor": 0.7,
                   "intermediate_size": 10, "moe_intermediate_size": 6, "n_routed_experts": 3,
                   "num_experts_per_tok": 2, "sliding_window": 5,
                   "layer_types": ["full_attention", "sliding_attention", "sliding_attention"],
                   "max_position_embeddings": 16, "vocab_size": 11})",
};

}  // namespace headscope
