// The streams that layers read for single tokens without any context: the token's embedding, and
// what layer 0's MLP adds to it; no position, and nothing from attention.
//
// Shapes   [tokens, d]
// Errors   the backend's; kCancelled.
// Threads  the backend's.
// Cost     one MLP over the tokens.
// Source   Gould 2023: the "MLP0" tokens of successor heads.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>

#include "core/base/error.h"
#include "core/heads/effect/column_matrix.h"
#include "core/model/forward.h"

namespace headscope {

struct TokenStreams {
  FloatMatrix embedded;  // before layer 0
  FloatMatrix later;     // before layer 1, if the model has one
};
[[nodiscard]] Result<TokenStreams> MakeTokenStreams(Forward* forward,
                                                    std::span<const std::int32_t> ids,
                                                    const std::stop_token& stop);

// Returns each row after the norm; without a norm, unchanged.
[[nodiscard]] Result<FloatMatrix> NormedRows(Forward* forward,
                                             const std::optional<NormNeed>& norm,
                                             const FloatMatrix& rows);

}  // namespace headscope
