// Finds which of many strings begin at a position: a tree of bytes, built once.
//
// Units    values are the caller's numbers, from 0.
// Errors   kCancelled.
// Threads  immutable after construction; any thread walks.
// Cost     12 bytes per node (at most one per byte of the strings); a step is a binary search among
//          the node's children.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stop_token>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace headscope::text {

class PieceTrie {
 public:
  using Entry = std::pair<std::string_view, std::int32_t>;

  PieceTrie() { roots_.fill(-1); }
  // The last of equal strings counts; empty ones are left out. The strings are not kept.
  [[nodiscard]] static Result<PieceTrie> Make(std::vector<Entry> entries,
                                              const std::stop_token& stop);

  [[nodiscard]] bool empty() const { return nodes_.empty(); }

  // Calls `visit(end, value)` for every string that begins at `begin`, the shortest first. `text`
  // is searched to its end.
  template <typename Visit>
  void ForEachPrefix(std::string_view text, std::size_t begin, const Visit& visit) const {
    if (begin >= text.size()) {
      return;
    }
    std::int32_t node = roots_[static_cast<unsigned char>(text[begin])];
    for (std::size_t end = begin + 1; node >= 0; ++end) {
      const std::int32_t value = nodes_[static_cast<std::size_t>(node)].value;
      if (value >= 0) {
        visit(end, value);
      }
      if (end == text.size()) {
        return;
      }
      node = Child(node, static_cast<unsigned char>(text[end]));
    }
  }

  // Returns end and value of the longest string at `begin`; the value is -1 if there is none.
  [[nodiscard]] std::pair<std::size_t, std::int32_t> Longest(std::string_view text,
                                                             std::size_t begin) const {
    std::pair<std::size_t, std::int32_t> longest{begin, -1};
    const auto keep = [&](std::size_t end, std::int32_t value) { longest = {end, value}; };
    ForEachPrefix(text, begin, keep);
    return longest;
  }

 private:
  struct Node {
    std::uint32_t first_child = 0;
    std::int32_t value = -1;
    std::uint16_t num_children = 0;
    unsigned char byte = 0;
  };

  // Returns the child of a node for a byte, or -1.
  [[nodiscard]] std::int32_t Child(std::int32_t node, unsigned char byte) const;

  std::vector<Node> nodes_;  // siblings are adjacent, in the order of their bytes
  std::array<std::int32_t, 256> roots_{};
};

}  // namespace headscope::text
