// Which heads follow a grammatical relation, decided from cases of words.
//
// For a relation and a direction, with head and offset chosen on one half of the sentences and
// counted on the other, and the other way round (halves: sentences of even and odd place):
//   d_s = sum over the cases of sentence s of (head right - control right)
//   z   = sum d_s / sqrt(sum d_s^2), the least over the controls popular, offset, rarest, pieces, and
//         chance, the share of the words seen that is right
// It is strong where Holm's test at .01 over all relations and directions holds, the head is right
// .10 more often than the best control and than chance, and there are 50 cases and 30 sentences with
// d_s other than 0. Where the halves choose two heads, both are named as sharing it.
// From the later word to the earlier is said only of what a direction by itself does not say: of a
// head that has a role in one of them, where kFewestPairs or more of the pairs are the other's.
//
// Cost     a pass over the cases for each head.
// Source   docs/reference.md, "Roles"; Clark 2019; Holm 1979.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/decide/decision.h"
#include "core/heads/measure/word_cases.h"
#include "core/heads/probe/choice.h"

namespace headscope {

inline constexpr std::int64_t kFewestPairs = 50;

// Cases of one relation and direction.
struct RelationCases {
  std::string relation;
  PairDirection direction = PairDirection::kDependentToHead;
  std::vector<const PairCase*> cases;
};
[[nodiscard]] std::vector<RelationCases> GroupCases(std::span<const PairCase> cases);

// What a head is held against, as sentences have it, in the order of the controls.
[[nodiscard]] std::span<const std::string_view> ControlNames(bool of_mentions);

[[nodiscard]] std::string RelationId(const RelationCases& relation);

// How often each head from 0 to heads - 1 is right, beside what one candidate in so many gives and the
// best control.
[[nodiscard]] std::vector<HeadScore> RelationScores(const RelationCases& relation,
                                                    std::size_t heads);

// How many relations have cases enough to be asked for.
[[nodiscard]] std::int64_t QuestionsOf(std::span<const RelationCases> relations);

// `others`: how many are asked for of other parts of the model.
[[nodiscard]] std::vector<Suggestion> DecideRelations(std::span<const RelationCases> relations,
                                                      const HeadsOfScan& heads,
                                                      std::int64_t others = 0);

}  // namespace headscope
