// Mamba 2's state spaces, which stand in place of attention in most layers of some families.
//
// Errors   as core/model/family_kit.h.
// Source   Dao and Gu, "Transformers are SSMs", 2024; tensors as transformers' classes name them, matrices
//          [out, in].
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "core/model/family_kit.h"

namespace headscope {

// The keys of their sizes and what they are if missing.
struct MambaKeys {
  std::string_view heads = "mamba_n_heads";
  std::string_view head_dim = "mamba_d_head";
  std::string_view groups = "mamba_n_groups";
  std::string_view state = "mamba_d_state";
  std::string_view taps = "mamba_d_conv";
  std::string_view taps_bias = "mamba_conv_bias";
  std::string_view activation = "hidden_act";
  std::string_view limits = "time_step_limit";  // empty: steps have none
  std::int64_t usual_heads = 128;
  std::int64_t usual_state = 256;
  std::int64_t usual_groups = 1;
};

struct MambaSizes {
  DeltaShape shape;  // key heads are groups, keys are as wide as a state
  std::int64_t taps = 0;
  HasBias taps_bias = HasBias::kYes;
  HasBias bias = HasBias::kNo;
  double least_step = 0.0;
  double most_step = std::numeric_limits<double>::infinity();
  ActivationKind activation = ActivationKind::kSilu;
};

// `width` is the model's. Heads without a width of their own ("auto", or none) share twice the model's.
[[nodiscard]] Result<MambaSizes> ReadMamba(const JsonObject& json,
                                           const MambaKeys& keys,
                                           std::int64_t width);

// `prefix` is that of its tensors: "layers.0.mamba.".
[[nodiscard]] DeltaMemory MambaMemory(const std::string& prefix,
                                      std::int64_t width,
                                      double epsilon,
                                      const MambaSizes& sizes);

}  // namespace headscope
