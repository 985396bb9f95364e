// What Granite's models share: factors of the stream, an MLP that every token has beside experts, and, in
// those called SWA, windows in most layers, a base of the rotary positions in each, and sinks.
//
// Errors   as core/model/family_kit.h.
// Source   Granite Team 2024; tensors as transformers' Granite classes name them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/model/llama_layout.h"

namespace headscope {

// Reads "embedding_multiplier", "residual_multiplier", "attention_multiplier" (missing: `usual_scale`)
// and "logits_scaling", which divides the logits. The stream is counted in units of what is added to it, and
// so are the epsilons of its norms. Returns that unit: the residual multiplier.
[[nodiscard]] Result<double> ReadGraniteFactors(const JsonObject& json,
                                                double usual_scale,
                                                LlamaConfig* config);

// Makes the MLP "shared_mlp" of a layer. Both halves of its gated product are in one matrix, or apart
// (in GGUF files).
[[nodiscard]] MlpNeeds GraniteSharedMlp(std::size_t layer,
                                        std::int64_t width,
                                        std::int64_t inner,
                                        bool is_apart = false);

[[nodiscard]] Result<ModelDescription> DescribeGraniteSwa(std::string_view family,
                                                          const JsonObject& json,
                                                          LlamaConfig config);

}  // namespace headscope
