// How much the heads of a layer differ, as two numbers.
//
// Shapes   maps [heads, queries, keys]; masked weights 0.
// Units    divergence: Jensen-Shannon in nats, 0 to ln 2; effective heads: 1 to `heads`.
// Errors   kCancelled.
// Threads  any.
// Cost     heads^2 queries keys / 2 logarithms and multiplications; heads^3 for the eigenvalues.
// Source   Lin 1991; CONTRACT.md "split".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>

#include "core/base/error.h"
#include "core/compute/attention.h"

namespace headscope {

struct HeadMaps {
  std::span<const float> weights;
  std::int64_t heads = 0;
  std::int64_t queries = 0;
  std::int64_t keys = 0;
};

// Mean over head pairs and over rows with at least two visible keys; null for one head, and where
// there is no such row.
[[nodiscard]] Result<std::optional<double>> MeanDivergence(const HeadMaps& maps,
                                                           const AttentionRule& rule,
                                                           std::stop_token stop);

// exp of the entropy of the eigenvalues, normalised to sum to 1, of the heads' similarity: the
// cosines between their flattened maps. Identical heads: 1; heads that share no cell: `heads`.
[[nodiscard]] Result<double> EffectiveHeads(const HeadMaps& maps, std::stop_token stop);

}  // namespace headscope
