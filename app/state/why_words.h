// What the window says of why a cell lights up: who wrote most of what its score is made of.
//
// Units    scores; lengths are parts of the longest bar, 0 to 1.
// Cost     a sort of the writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/heads/cell_sources.h"
#include "core/heads/head_name.h"

namespace headscope {

struct WhyLine {
  std::string name;    // "token", "L0H3"
  std::string number;  // "+3.21"
  float length = 0.0F;
  bool takes_away = false;
  std::optional<HeadIndex> head = {};  // that wrote it
  friend bool operator==(const WhyLine&, const WhyLine&) = default;
};

struct WhyWords {
  std::string score;             // "score +7.42, the sum of all"
  std::vector<WhyLine> keys;     // the most that was written into the key, largest first
  std::vector<WhyLine> queries;  // and into the query
  std::string more_keys;         // "12 more, together -0.31"; empty: none
  std::string more_queries;
  std::string pair;  // "most of all: L0H0 in the key × token in the query, +2.10"
};

// At most `most` lines on either side: those that add or take away most.
[[nodiscard]] WhyWords WordsOfWhy(const CellSources& sources, std::size_t most);

}  // namespace headscope
