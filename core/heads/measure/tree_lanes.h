// The maximum spanning trees that eight heads' attention between words draws, side by side.
//
// Shapes   maps [words][words][8], rows are queries.
// Errors   none; weights are not below 0.
// Threads  plain values; a TreeRoom serves one call at a time.
// Cost     Prim's algorithm: words squared, one step for eight heads.
// Source   Prim 1957; core/heads/measure/gold_tree.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/head_lanes.h"

namespace headscope {

struct TreeRoom {  // kept from call to call
  std::vector<std::int32_t> joined;
  std::vector<std::int32_t> nearest;
  std::vector<std::int32_t> is_in;
};

// The trees of the maps both ways added up, over some of the words, from the `root`-th of them on.
// `parents` [some][8]: of each by its place among them the one that it was joined to, the first of
// equals; the root has -1. Of words that are equally near the first comes first.
void DrawTrees(const float* maps,
               std::size_t words,
               std::span<const std::size_t> some,
               std::size_t root,
               TreeRoom* room,
               std::span<std::int32_t> parents);

}  // namespace headscope
