// The effect of a head on the logit of the token that it attends to most, by its definition, in
// double and over the whole vocabulary: the reference for CopyEffect.
//
// Errors   as for CopyEffect.
// Threads  the backend's.
// Cost     n V d multiplications per head.
#pragma once

#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/heads/effect/copy_effect.h"
#include "core/model/forward.h"

namespace headscope {

struct CopyReference {
  CopySums sums;
  CopyRanks ranks;  // over every row that counts
};

// `forward` runs on a reference backend.
[[nodiscard]] Result<CopyReference> CopyEffectByDefinition(Forward* forward,
                                                           const CopyText& text,
                                                           const std::stop_token& stop);

}  // namespace headscope
