// The layout that Llama made common: a norm before each half, rotary positions, separate query, key
// and value matrices, a gated MLP. Families with this layout differ in a few settings and share
// tensor names.
//
// Errors   as core/model/family_kit.h.
// Source   Touvron 2023; tensors as transformers' LlamaModel names them, matrices [out, in].
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {

// "transformer." comes from classes for question answering.
inline constexpr std::array<std::string_view, 3> kLlamaPrefixes = {"model.", "transformer.", ""};

// Defaults for keys that config.json omits, and key names that differ between families.
struct LlamaDefaults {
  std::optional<std::int64_t> head_dim = {};
  std::int64_t positions = 2048;
  double theta = kUsualRotaryBase;
  std::string_view activation_key = "hidden_act";
  std::string_view activation = "silu";
  bool is_tied = false;
};

struct LlamaConfig {
  // The settings that every family of the layout reads in the same way.
  StackSizes sizes;
  RotaryRule rotary;
  double epsilon = 1e-6;
  ActivationKind activation = ActivationKind::kSilu;
  bool is_tied = false;

  // The settings that each family decides for itself.
  HasBias query_bias = HasBias::kNo;  // for queries, keys and values
  HasBias output_bias = HasBias::kNo;
  HasBias mlp_bias = HasBias::kNo;
  bool has_query_key_norm = false;  // on each head separately
  bool has_norm_inside = false;     // a second norm in each half, before the residual
  double norm_offset = 0.0;
  double embedding_scale = 1.0;
  double scale = 1.0;  // 1 / sqrt(head_dim) as read
  double softcap = 0.0;
  std::vector<std::int64_t> windows;  // per layer, 0: none; empty: none in any layer
  std::vector<bool> turns;            // per layer, whether it has rotary positions; empty: all have
};

[[nodiscard]] Result<LlamaConfig> ReadLlamaConfig(const JsonObject& json,
                                                  const LlamaDefaults& defaults);

[[nodiscard]] ModelDescription DescribeLlama(std::string_view family, const LlamaConfig& config);

// Reads windows as in Qwen: "sliding_window" counts only if "use_sliding_window" says so, from
// layer "max_window_layers" on or in the layers given by "layer_types".
[[nodiscard]] Status ReadUpperWindows(const JsonObject& json, LlamaConfig* config);

// Rejects a model set to look ahead ("use_bidirectional_attention").
[[nodiscard]] Status RefuseBidirectional(const JsonObject& json);

}  // namespace headscope
