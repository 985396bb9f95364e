// Where the parts of the Compare screen stand: the heads and those that differ most, and the pair.
//
// Units    window pixels.
#pragma once

#include <cstdint>

#include "app/views/kit/layout.h"

namespace headscope {

// One map or two, and what the names of their places take at a map's sides, in window pixels.
struct PairWish {
  bool has_two = false;
  float left = 0.0F;
  float right = 0.0F;
  float top = 0.0F;
};

// In a high area the heads stand over the pair, in a low one at its left; in a narrow one the list
// is left out. Maps have 200 unscaled pixels or more, if need be by a part that scrolls.
struct CompareLayout {
  Rect heads;
  Rect list;
  Rect pair;  // before it is scrolled
  Rect scrolled =
      {};  // what is seen of the part that scrolls, the pair or all; no width: none does
};
[[nodiscard]] CompareLayout LayOutCompare(const Rect& area,
                                          std::int64_t layers,
                                          const PairWish& wish,
                                          float scale);

// The pair: a line of words and buttons, one map or two, and what is said below them.
struct PairLayout {
  Rect header;
  Rect first;   // the whole where there is one map
  Rect second;  // beside or below the first; no width: one map
  Rect footer;
};
[[nodiscard]] PairLayout LayOutPair(const Rect& area, const PairWish& wish, float scale);
// Whether two maps beside each other have the rows' names once, half of their room at either.
[[nodiscard]] bool HasNamesOnce(float half, const PairWish& wish);

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
