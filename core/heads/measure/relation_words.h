// Grammatical relations in plain words. A word of a pair is the governor or its dependent; "head" is a
// head of attention and nothing else, but in the ids of files ("dependent-to-head").
//
// Threads  immutable; any thread reads.
// Source   Universal Dependencies 2, universaldependencies.org/u/dep.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "core/heads/measure/word_cases.h"

namespace headscope {

// What the two words of a pair are: "determiner" and "noun"; of a relation without names of its own
// "dependent" and "governor". Subtypes ("nmod:npmod") are as their relation.
struct PairWords {
  std::string_view dependent;
  std::string_view governor;
};
[[nodiscard]] PairWords WordsOfRelation(std::string_view relation);

// "det: determiner looks at its noun", "det: noun looks at its determiner", "det: the later word looks at
// the earlier".
[[nodiscard]] std::string RelationSentence(std::string_view relation, PairDirection direction);
// The same where there is little room: "det: determiner → noun".
[[nodiscard]] std::string RelationLabel(std::string_view relation, PairDirection direction);

// The two of an id of a score, "dep:det:dependent-to-head".
struct RelationOfId {
  std::string_view relation;
  PairDirection direction = PairDirection::kDependentToHead;
};
[[nodiscard]] RelationOfId ReadRelationId(std::string_view id);
// Which of a pair's words looks, and the one that is looked at; words count from the first of the sentence.
[[nodiscard]] std::pair<std::int64_t, std::int64_t> WordsThatLook(PairDirection direction,
                                                                  std::int64_t dependent,
                                                                  std::int64_t governor);

}  // namespace headscope
