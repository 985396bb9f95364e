// How far heads lie from the heads whose columns they share, or from any other heads of the same
// text.
//
// Units    Jensen-Shannon divergence in nats, 0 to ln 2: the mean over rows that see two keys or
//          more.
// Errors   kCancelled.
// Threads  the caller's, which must not be the one that draws; heads go to OpenMP's threads. The
//          result does not depend on their number.
// Cost     the full softmax of every row of both, once each, and two logarithms per cell of a
//          child. Holds some rows of a parent: 1 MiB, or one row.
// Source   Lin 1991.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"

namespace headscope {

inline constexpr std::int64_t kNoParent = -1;

// How far a head lies from another, and the cell where their weights differ most.
struct ParentDistance {
  std::optional<double> divergence;  // null: not requested, or no row counts
  double own = 0.0;                  // the weights of both at that cell
  double other = 0.0;
  std::int64_t query = 0;
  std::int64_t key = 0;
};
// Returns the distance of each child from its parent `parent_of` [heads of children]; kNoParent:
// not requested.
[[nodiscard]] Result<std::vector<ParentDistance>> DivergenceFromParents(
    const LayerAttention& parents,
    const LayerAttention& children,
    std::span<const std::int64_t> parent_of,
    const std::stop_token& stop);

}  // namespace headscope
