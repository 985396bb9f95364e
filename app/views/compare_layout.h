// Where the parts of the Compare screen stand: the heads and those that differ most, and the pair.
//
// Units    window pixels.
#pragma once

#include <cstdint>

#include "app/views/layout.h"

namespace headscope {

// In a high area the heads stand over the pair, in a low one at its left; in a narrow one the list
// is left out.
struct CompareLayout {
  Rect heads;
  Rect list;
  Rect pair;
};
[[nodiscard]] CompareLayout LayOutCompare(const Rect& area, std::int64_t layers, float scale);

// The pair: a line of words and buttons, one map or two, and what is said below them.
struct PairLayout {
  Rect header;
  Rect first;   // the whole where there is one map
  Rect second;  // beside or below the first; no width: one map
  Rect footer;
};
[[nodiscard]] PairLayout LayOutPair(const Rect& area, bool has_two, float scale);

// Two rows of heads with lines between them.
struct MatchingLayout {
  Rect area;
  float step_a = 0.0F;  // from one head to the next
  float step_b = 0.0F;
  float height = 0.0F;  // of a row

  [[nodiscard]] Rect HeadOfA(std::int64_t head) const;
  [[nodiscard]] Rect HeadOfB(std::int64_t head) const;
};
[[nodiscard]] MatchingLayout LayOutMatching(const Rect& area,
                                            std::int64_t heads_a,
                                            std::int64_t heads_b,
                                            float scale);

}  // namespace headscope
