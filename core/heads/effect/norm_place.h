// Finds where a norm is in a stack of layers, by its address in the description.
#pragma once

#include <cstdint>
#include <optional>

#include "core/model/block_description.h"

namespace headscope {

struct NormPlace {
  enum class Kind {
    kEmbedding,
    kBefore,  // an attention or an MLP
    kInsideAttention,
    kAfterAttention,
    kInsideMlp,
    kAfterMlp,
    kFinal,
  };
  Kind kind = Kind::kBefore;
  std::int64_t layer = -1;  // -1: in no layer
  bool is_cross = false;    // it belongs to the layer's attention to the encoder
};

// None: it is not a norm of the stack's residual stream.
[[nodiscard]] std::optional<NormPlace> FindNorm(const StackDescription& stack,
                                                const NormNeed& norm);

}  // namespace headscope
