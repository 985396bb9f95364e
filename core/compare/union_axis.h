// Everything that two runs have along one axis of their maps, for drawing them side by side: the
// places that they share and, between these, the tokens that only one of them has.
//
// Shapes   every token of A and of B has one place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/shared_axis.h"

namespace headscope {

struct UnionPlace {
  std::vector<std::int64_t> a;  // tokens; empty: only B has it
  std::vector<std::int64_t> b;
  std::string name;    // of both: "old"; of a replaced word: "old / young"
  bool again = false;  // another place has the same name

  [[nodiscard]] bool is_shared() const { return !a.empty() && !b.empty(); }
};

struct UnionAxis {
  std::vector<UnionPlace> places;
  std::int64_t only_a = 0;  // places that only A has
  std::int64_t only_b = 0;

  [[nodiscard]] std::int64_t size() const { return std::ssize(places); }
  // Returns "the (4)" if another place has the same name, "old (A)" if only one side has it.
  [[nodiscard]] std::string Label(std::int64_t place) const;
};

// `shared` belongs to `a` and `b`.
[[nodiscard]] UnionAxis Unite(const SharedAxis& shared, const Encoding& a, const Encoding& b);

}  // namespace headscope
