// The layout that Llama made common: a norm before each half, rotary positions, separate query, key
// and value matrices, a gated MLP. Its families differ in a few settings and share tensor names.
//
// Errors   as core/model/family_kit.h.
// Threads  any.
// Source   Touvron 2023; tensors as transformers' LlamaModel names them, matrices [out, in].
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "core/model/family_kit.h"
#include "core/model/rotary.h"

namespace headscope {

// "transformer.": of classes that answer questions.
inline constexpr std::array<std::string_view, 3> kLlamaPrefixes = {"model.", "transformer.", ""};

// Where config.json leaves a key out, and how it spells what not every family spells alike.
struct LlamaDefaults {
  std::optional<std::int64_t> head_dim = {};
  std::int64_t positions = 2048;
  double theta = kUsualRotaryBase;
  std::string_view activation_key = "hidden_act";
  std::string_view activation = "silu";
  bool is_tied = false;
};

struct LlamaConfig {
  // What every family of the layout reads alike.
  StackSizes sizes;
  RotaryRule rotary;
  double epsilon = 1e-6;
  ActivationKind activation = ActivationKind::kSilu;
  bool is_tied = false;

  // What each family sets as it likes.
  HasBias query_bias = HasBias::kNo;  // of queries, keys and values
  HasBias output_bias = HasBias::kNo;
  HasBias mlp_bias = HasBias::kNo;
  bool has_query_key_norm = false;  // of each head by itself
  bool has_norm_inside = false;     // a second norm in each half, before the residual
  double norm_offset = 0.0;
  double embedding_scale = 1.0;
  double scale = 1.0;  // 1 / sqrt(head_dim) as read
  double softcap = 0.0;
  std::vector<std::int64_t> windows;  // per layer, 0: none; empty: none at all
  std::vector<bool> turns;            // per layer: rotary positions; empty: in every layer
};

[[nodiscard]] Result<LlamaConfig> ReadLlamaConfig(const JsonObject& json,
                                                  const LlamaDefaults& defaults);

[[nodiscard]] ModelDescription DescribeLlama(std::string_view family, const LlamaConfig& config);

// As Qwen has it: "sliding_window" counts where "use_sliding_window" says so, from layer
// "max_window_layers" on or where "layer_types" says so.
[[nodiscard]] Status ReadUpperWindows(const JsonObject& json, LlamaConfig* config);

// Refuses a model told to look ahead ("use_bidirectional_attention").
[[nodiscard]] Status RefuseBidirectional(const JsonObject& json);

}  // namespace headscope
