// Under weights that are all 1 what h changes depends on the input's scale: measured at several, so
// that a person sees where.
//
// Every column of queries, keys and values is the sum of the input's row then, so that heads with as
// many columns are one head: a map for each number of columns tells all.
//
// Units    as SplitAtScale: relative norms, weights.
// Errors   kBackend, kCancelled.
// Threads  the backend's.
// Cost     n^2 exponentials for each scale and each number of columns that a head of any count has.
// Source   docs/reference.md, "split".
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/headcount/split.h"

namespace headscope {

// From scores that make every row one-hot to scores that make it even.
inline constexpr double kScalesShown[] = {1.0, 0.1, 0.01, 0.001};

// `layer` was made of an input times `request`'s scale, with weights that are all 1. Nothing where
// that scale is 0.
[[nodiscard]] Result<std::vector<SplitAtScale>> EqualWeightsAtScales(
    Backend* backend,
    const LayerAttention& layer,
    const SplitRequest& request,
    std::span<const std::int64_t> head_counts,
    const std::stop_token& stop);

}  // namespace headscope
