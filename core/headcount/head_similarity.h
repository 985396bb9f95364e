// Two numbers that say how much the heads of a layer differ, computed from blocks of rows of all
// heads.
//
// Units    divergence: Jensen-Shannon in nats, 0 to ln 2; effective heads: 1 to `heads`.
// Errors   kCancelled.
// Threads  one caller; pairs of heads go to OpenMP's threads. The result does not depend on their
//          number.
// Cost     heads^2 / 2 logarithms and multiplications for each visible cell; heads^3 for the
//          eigenvalues. Holds heads^2 doubles.
// Source   Lin 1991; docs/reference.md, "Numbers and what they mean".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/base/error.h"
#include "core/compute/attention.h"

namespace headscope {

class HeadSimilarity {
 public:
  HeadSimilarity(std::int64_t heads, std::int64_t keys, AttentionRule rule);

  // Adds the rows of every head from `query_begin` on; each row is added once. Weights are [heads,
  // rows, keys], with 0 where masked.
  [[nodiscard]] Status Add(std::int64_t query_begin,
                           std::span<const float> weights,
                           const std::stop_token& stop);

  // The mean over head pairs and over rows with at least two visible keys. Null for a single head,
  // and if there is no such row.
  [[nodiscard]] std::optional<double> MeanDivergence() const;
  // exp of the entropy of the eigenvalues (normalised to sum to 1) of the heads' similarity matrix,
  // which holds the cosines between their flattened maps. Identical heads: 1; heads that share no
  // cell: `heads`.
  [[nodiscard]] double EffectiveHeads() const;

 private:
  std::int64_t heads_;
  std::int64_t keys_;
  AttentionRule rule_;
  std::int64_t num_rows_ = 0;   // rows that see two keys or more
  std::vector<double> apart_;   // [heads]: the summed divergences from the heads after it
  std::vector<double> shared_;  // [heads, heads]: products of maps; the lower triangle
};

}  // namespace headscope
