#include "core/text/piece_trie.h"

#include <algorithm>

namespace headscope::text {
namespace {

// Entries [begin, end) share the bytes before `depth`, which lead to `parent`.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 0;
  std::int32_t parent = -1;
};

}  // namespace

PieceTrie::PieceTrie(std::vector<Entry> entries) {
  roots_.fill(-1);
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.first < b.first;
  });
  // Breadth first, so that siblings are neighbours. The strings that end at a node sort first.
  std::vector<Span> level = {{0, entries.size(), 0, -1}};
  std::vector<Span> next;
  while (!level.empty()) {
    next.clear();
    for (const Span& span : level) {
      std::size_t at = span.begin;
      for (; at < span.end && entries[at].first.size() == span.depth; ++at) {
        if (span.parent >= 0) {
          nodes_[static_cast<std::size_t>(span.parent)].value = entries[at].second;
        }
      }
      const std::size_t first_child = nodes_.size();
      while (at < span.end) {
        const auto byte = static_cast<unsigned char>(entries[at].first[span.depth]);
        const std::size_t begin = at;
        while (at < span.end && static_cast<unsigned char>(entries[at].first[span.depth]) == byte) {
          ++at;
        }
        const auto node = static_cast<std::int32_t>(nodes_.size());
        nodes_.push_back({.first_child = 0, .value = -1, .num_children = 0, .byte = byte});
        if (span.parent < 0) {
          roots_[byte] = node;
        }
        next.push_back({begin, at, span.depth + 1, node});
      }
      if (span.parent >= 0) {
        Node& parent = nodes_[static_cast<std::size_t>(span.parent)];
        parent.first_child = static_cast<std::uint32_t>(first_child);
        parent.num_children = static_cast<std::uint16_t>(nodes_.size() - first_child);
      }
    }
    level.swap(next);
  }
  nodes_.shrink_to_fit();
}

std::int32_t PieceTrie::Child(std::int32_t node, unsigned char byte) const {
  const Node& parent = nodes_[static_cast<std::size_t>(node)];
  const auto first = nodes_.begin() + static_cast<std::ptrdiff_t>(parent.first_child);
  const auto last = first + parent.num_children;
  const auto found =
      std::lower_bound(first, last, byte, [](const Node& child, unsigned char wanted) {
        return child.byte < wanted;
      });
  return found != last && found->byte == byte ? static_cast<std::int32_t>(found - nodes_.begin())
                                              : -1;
}

}  // namespace headscope::text
