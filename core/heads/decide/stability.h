// How sure a role is of the texts that it was found on: in how many draws of them, as many as there
// are and each as often as it is drawn, it is found again.
//   relations   the head is right most often of all heads
//   shares of   the decision of core/heads/decide/decision.h, made anew, is as sure as the first one: strong,
//   attention   or, of a borderline role, borderline or strong. Groups are drawn each by itself.
//
// Cost     relations: a pass over the cases for each head; then, a draw, sentences x heads. Shares: a
//          draw, the sequences for each role that was found.
// Source   Efron 1979 (the bootstrap), over sentences, since pairs of one are no cases of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "core/heads/decide/relations.h"
#include "core/heads/measure/sequence_means.h"

namespace headscope {

inline constexpr int kBootstraps = 200;

// For heads 0 to heads - 1: the share of the draws, of as many sentences as there are, in which it is
// right most often; equals share one. The same for the same cases. 0 for all where there are none.
[[nodiscard]] std::vector<double> BootstrapShares(const RelationCases& relation, std::size_t heads);

// Tells each of `found`, which DecideShares found, its stability, and says it in its sentence.
// `sequences`: those that were kept, in any order; none: nothing is told. `tests`, `twin`: as the
// roles were decided with.
void AddStability(KeptSequences sequences,
                  const HeadsOfScan& heads,
                  std::int64_t tests,
                  const std::vector<double>& twin,
                  std::vector<Suggestion>* found);

// How often each sequence is drawn: [draw][sequence]. `groups`: of each of them, by place.
[[nodiscard]] std::vector<std::vector<std::int32_t>> DrawSequences(
    std::span<const std::size_t> groups);

}  // namespace headscope
