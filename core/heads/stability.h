// How sure it is that a relation is this head's and no other's: in how many draws of the sentences it
// is right most often.
//
// Threads  any.
// Cost     a pass over the cases for each head; then, a draw, sentences x heads.
// Source   Efron 1979 (the bootstrap), over sentences, since pairs of one are no cases of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/heads/relations.h"

namespace headscope {

inline constexpr int kBootstraps = 200;

// Of heads 0 to heads - 1: the share of the draws, of as many sentences as there are, in which it is
// right most often; equals share one. The same for the same cases. 0 for all where there are none.
[[nodiscard]] std::vector<double> BootstrapShares(const RelationCases& relation, std::size_t heads);

}  // namespace headscope
