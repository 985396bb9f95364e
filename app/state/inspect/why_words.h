// What the window says of why a cell lights up: who wrote most of what its score is made of.
//
// Units    scores; lengths are parts of the longest bar, 0 to 1.
// Cost     a sort of the writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/effect/cell_sources.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct WhyLine {
  std::string name;    // "token", "L0H3"
  std::string number;  // "+3.21"
  float length = 0.0F;
  bool takes_away = false;
  std::optional<HeadIndex> head = {};  // that wrote it
  std::optional<LayerId> mlp = {};     // the same
  friend bool operator==(const WhyLine&, const WhyLine&) = default;
};

struct WhyPair {
  WhyLine query;  // its name and head; the number is the pair's
  WhyLine key;
  friend bool operator==(const WhyPair&, const WhyPair&) = default;
};

struct WhyWords {
  std::string score;          // "score +7.42, the sum of all"
  std::vector<WhyLine> keys;  // what was written into the key, what adds or takes away most first
  std::vector<WhyLine> queries;  // and into the query
  std::string more_keys;         // "12 more, together -0.31"; empty: none
  std::string more_queries;
  std::vector<WhyPair> pairs;  // of a writer of the query with one of the key, likewise
  std::string more_pairs;
};

// At most so many lines on either side, and so many pairs, of those that are ranked (kRankedTerms).
struct WhyRoom {
  std::size_t writers = 0;
  std::size_t pairs = 0;
};
[[nodiscard]] WhyWords WordsOfWhy(const CellSources& sources, const WhyRoom& room);

}  // namespace headscope
