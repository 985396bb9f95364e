// With weights that are all 1, the effect of h depends on the input's scale. It is measured at
// several scales, so that the user sees where it changes.
//
// Every column of queries, keys and values is then the sum of the input's row, so that heads with
// the same number of columns are the same head: one map for each number of columns is enough.
//
// Units    as in SplitAtScale: relative norms, weights.
// Errors   kBackend, kCancelled.
// Threads  the backend's.
// Cost     n^2 exponentials for each scale and each number of columns that a head of any count has; for
//          curves of kMostCurveRows rows at most, for each draw too: some tenths of a second.
// Source   docs/reference.md, "split".
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "core/headcount/split.h"

namespace headscope {

// They range from scores that make every row one-hot to scores that make it even.
inline constexpr double kScalesShown[] = {1.0, 0.1, 0.01, 0.001};

// `layer` was made from an input times `request`'s scale, with weights that are all 1. The result
// is empty if that scale is 0.
[[nodiscard]] Result<std::vector<SplitAtScale>> EqualWeightsAtScales(
    Backend* backend,
    const LayerAttention& layer,
    const SplitRequest& request,
    std::span<const std::int64_t> head_counts,
    const std::stop_token& stop);

inline constexpr std::uint64_t kCurveDraws = 20;
inline constexpr std::int64_t kMostCurveRows = 48;

// The same for inputs drawn with the request's seed and those after it: normal numbers of model_dim
// columns, at scales from 0.0001 to 10, five to a tenfold. Of the layer its rows, up to so many, its
// heads and its causal mask count.
[[nodiscard]] Result<EqualCurves> EqualCurvesOf(Backend* backend,
                                                const LayerAttention& layer,
                                                std::int64_t model_dim,
                                                const SplitRequest& request,
                                                std::span<const std::int64_t> head_counts,
                                                const std::stop_token& stop);

}  // namespace headscope
