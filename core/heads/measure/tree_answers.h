// One head beside the tree of an annotated sentence: for each edge of the tree, whether the head's
// largest weight between words is on it, in one direction; and what knows nothing of the tree would
// have found.
//
// Words, their rows and what they see are those of relation scores (core/heads/measure/word_cases.h):
// a word's row is the mean over its pieces, its column their sum; the word itself, special tokens and
// what belongs to no word are left out. Not asked are punctuation, words without a token, and edges
// whose end a causal head cannot see.
//
// Shapes   words of the sentence, edges in the order of their dependents.
// Errors   none; a sentence without a tree has no edge.
// Threads  AnswerTree: any but the drawing one; the rest are plain values.
// Cost     every row of the map once.
// Source   Clark 2019, 4; docs/reference.md, "Trees".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/attention/map_view.h"
#include "core/heads/measure/text_tree.h"
#include "core/heads/measure/word_cases.h"

namespace headscope {

enum class EdgeMatch { kAgrees, kDiffers, kNotAsked };

struct TreeEdge {
  std::int64_t dependent = 0;
  std::int64_t governor = 0;
  std::string relation = {};
  EdgeMatch match = EdgeMatch::kNotAsked;
  friend bool operator==(const TreeEdge&, const TreeEdge&) = default;
};

// The largest weight of a word.
struct HeadEdge {
  std::int64_t query = 0;
  std::int64_t key = 0;
  double weight = 0.0;
  EdgeMatch match = EdgeMatch::kNotAsked;  // of the edge of the tree that it is, or should be
  friend bool operator==(const HeadEdge&, const HeadEdge&) = default;
};

struct TreeAnswers {
  PairDirection direction = PairDirection::kDependentToHead;
  std::vector<TreeEdge> edges = {};
  std::vector<HeadEdge> head = {};  // of each word that sees another one
  std::int64_t asked = 0;           // edges
  std::int64_t right = 0;
  std::int64_t queries = 0;       // words that ask: as many at most can be right
  std::int64_t right_before = 0;  // if each answer were the word before
  std::int64_t best_offset =
      -1;  // the fixed distance that is right most often, the nearest of equals
  std::int64_t right_at_best = 0;
  std::int64_t punctuation = 0;  // edges that are not asked, and why
  std::int64_t unseen = 0;
  std::int64_t without_token = 0;
};

// `direction`: kDependentToHead (a word looks at its governor) or kHeadToDependent.
[[nodiscard]] TreeAnswers AnswerTree(const TextTree& tree,
                                     const MapView& map,
                                     PairDirection direction);

// "L1H3's largest weight is the governor at 5 of 9 words; chance: the word before would be right at
// 4. Not asked: 1 punctuation mark."
[[nodiscard]] std::string AnswerWords(const TreeAnswers& answers, const std::string& head);

}  // namespace headscope
