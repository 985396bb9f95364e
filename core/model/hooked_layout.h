// The layout of TransformerLens: a matrix for each head, and toys without MLPs, without norms or with SoLU.
//
// Errors   as core/model/family_kit.h.
// Source   Nanda 2022; Elhage 2022 (SoLU); tensors as HookedTransformer names them, matrices [in, out].
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/model/family_kit.h"

namespace headscope {

struct HookedConfig {
  StackSizes sizes;
  std::string norm;       // "LN", "LNPre" (without weights), "RMS", "RMSPre" or ""
  std::string positions;  // "standard", "shortformer", "rotary"
  double epsilon = 1e-5;
  bool is_final_rms = false;
  bool has_mlp = true;
  bool has_gate = false;
  bool is_parallel = false;
  bool is_normed_twice = false;
  bool norms_heads = false;
  bool norms_embeddings = false;
  bool is_causal = true;
  ActivationKind activation = ActivationKind::kGelu;
  bool norms_activation = false;
  double scale = 1.0;
  bool is_scaled_by_layer = false;
  double softcap = 0.0;
  std::vector<std::int64_t> windows;  // of each layer; 0: none
};

[[nodiscard]] Result<HookedConfig> ReadHookedConfig(const JsonObject& json);

// `is_stored`: the norm has weights.
[[nodiscard]] NormNeed HookedNorm(const HookedConfig& config,
                                  const std::string& name,
                                  std::int64_t width,
                                  bool is_rms,
                                  bool is_stored);

// Returns the model's usual norm, or none where it has none.
[[nodiscard]] std::optional<NormNeed> UsualHookedNorm(const HookedConfig& config,
                                                      const std::string& name);

[[nodiscard]] LayerDescription HookedLayer(std::int64_t index, const HookedConfig& config);

}  // namespace headscope
