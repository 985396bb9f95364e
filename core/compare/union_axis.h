// All that two runs have along one axis of their maps, for drawing them beside each other: the
// places that they share, and between these the tokens that one of them alone has.
//
// Shapes   every token of A and of B stands in one place.
// Errors   none.
// Threads  plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compare/shared_axis.h"

namespace headscope {

struct UnionPlace {
  std::vector<std::int64_t> a;  // tokens; none: B alone has it
  std::vector<std::int64_t> b;
  std::string name;    // of both: "old", of an exchanged word "old / young"
  bool again = false;  // another place reads alike

  [[nodiscard]] bool is_shared() const { return !a.empty() && !b.empty(); }
};

struct UnionAxis {
  std::vector<UnionPlace> places;
  std::int64_t only_a = 0;  // places that A alone has
  std::int64_t only_b = 0;

  [[nodiscard]] std::int64_t size() const { return std::ssize(places); }
  // "the (4)" where another reads alike; "old (A)" where one side alone has it.
  [[nodiscard]] std::string Label(std::int64_t place) const;
};

// `shared` is of these two.
[[nodiscard]] UnionAxis Unite(const SharedAxis& shared, const Encoding& a, const Encoding& b);

}  // namespace headscope
