// Where in a stack of layers a norm stands, told by its address in the description.
//
// Threads  any.
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
  std::int64_t layer = -1;  // -1: of none
  bool is_cross = false;    // of the layer's attention to the encoder
};

// None: it is no norm of the stack's residual stream.
[[nodiscard]] std::optional<NormPlace> FindNorm(const StackDescription& stack,
                                                const NormNeed& norm);

}  // namespace headscope
