// How far the heads of a layer write into the same directions: the overlap of the subspaces that the
// rows of their output projections span, against that of random ones.
//
// Units    overlap: |U_i^T U_j|^2 (Frobenius) over the smaller dimension, the mean over pairs: 0 where
//          all are at right angles, 1 where one lies in the other. Chance: the larger dimension over d.
// Errors   none.
// Threads  pure.
// Cost     for each pair of heads 2 d_v^3 multiplications.
// Source   docs/reference.md, "Across head counts".
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace headscope {

struct SubspaceOverlap {
  double overlap = 0.0;
  double chance = 0.0;
};
// `gram` [D, D] is GramOfOutput's, of heads of D / heads columns each, one after another, which write
// into `model_dim` columns. None for one head. Directions that are 0 but for rounding do not count.
[[nodiscard]] std::optional<SubspaceOverlap> OverlapOfHeads(std::span<const double> gram,
                                                            std::int64_t heads,
                                                            std::int64_t model_dim);

}  // namespace headscope
