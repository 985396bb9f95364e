// Attention as in the formula, in double: the reference for the fast path.
//
// Shapes   queries [n, H dk], keys [m, Hkv dk], values [m, Hkv dv], context [n, H dv] or empty.
// Errors   kCancelled.
// Cost     H n m (dk + dv) multiplications, one at a time.
// Source   Vaswani 2017 eq. 1; grouped keys and values: Ainslie 2023.
#pragma once

#include <span>
#include <stop_token>

#include "core/base/error.h"
#include "core/compute/attention.h"
#include "core/compute/backend.h"

namespace headscope {

struct ReferenceAttentionInput {
  AttentionShape shape;
  AttentionRule rule;
  std::span<const double> queries;
  std::span<const double> keys;
  std::span<const double> values;
};

[[nodiscard]] Status ReferenceAttend(ReferenceForm form,
                                     const ReferenceAttentionInput& input,
                                     AttentionObserver* observer,
                                     std::span<double> context,
                                     std::stop_token stop);

}  // namespace headscope
