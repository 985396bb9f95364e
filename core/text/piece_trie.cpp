#include "core/text/piece_trie.h"

#include <algorithm>
#include <iterator>

#include "core/base/stop.h"

namespace headscope::text {
namespace {

// Entries [begin, end) share their first `depth` bytes, which lead to `parent`.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t depth = 0;
  std::int32_t parent = -1;
};

bool IsBefore(const PieceTrie::Entry& a, const PieceTrie::Entry& b) {
  return a.first < b.first;
}

// Does what std::stable_sort does, in interruptible steps: sorts runs, then merges pairs of them.
Status SortEntries(std::vector<PieceTrie::Entry>* entries, const std::stop_token& stop) {
  constexpr std::ptrdiff_t kRun = 8192;
  const std::ptrdiff_t count = std::ssize(*entries);
  const auto at = [&](std::ptrdiff_t index) { return entries->begin() + std::min(index, count); };
  for (std::ptrdiff_t begin = 0; begin < count; begin += kRun) {
    HEADSCOPE_TRY(CheckStop(stop));
    std::stable_sort(at(begin), at(begin + kRun), IsBefore);
  }
  for (std::ptrdiff_t run = kRun; run < count; run *= 2) {
    for (std::ptrdiff_t begin = 0; begin + run < count; begin += 2 * run) {
      HEADSCOPE_TRY(CheckStop(stop));
      std::inplace_merge(at(begin), at(begin + run), at(begin + 2 * run), IsBefore);
    }
  }
  return {};
}

}  // namespace

Result<PieceTrie> PieceTrie::Make(std::vector<Entry> entries, const std::stop_token& stop) {
  HEADSCOPE_TRY(SortEntries(&entries, stop));
  PieceTrie trie;
  StopPoll poll(stop, 16'384);
  // Breadth first, so that siblings are adjacent. The strings that end at a node sort first.
  std::vector<Span> level = {{0, entries.size(), 0, -1}};
  std::vector<Span> next;
  while (!level.empty()) {
    next.clear();
    for (const Span& span : level) {
      HEADSCOPE_TRY(poll.Check());
      std::size_t at = span.begin;
      for (; at < span.end && entries[at].first.size() == span.depth; ++at) {
        if (span.parent >= 0) {
          trie.nodes_[static_cast<std::size_t>(span.parent)].value = entries[at].second;
        }
      }
      const std::size_t first_child = trie.nodes_.size();
      while (at < span.end) {
        const auto byte = static_cast<unsigned char>(entries[at].first[span.depth]);
        const std::size_t begin = at;
        while (at < span.end && static_cast<unsigned char>(entries[at].first[span.depth]) == byte) {
          ++at;
        }
        const auto node = static_cast<std::int32_t>(trie.nodes_.size());
        trie.nodes_.push_back({.first_child = 0, .value = -1, .num_children = 0, .byte = byte});
        if (span.parent < 0) {
          trie.roots_[byte] = node;
        }
        next.push_back({begin, at, span.depth + 1, node});
      }
      if (span.parent >= 0) {
        Node& parent = trie.nodes_[static_cast<std::size_t>(span.parent)];
        parent.first_child = static_cast<std::uint32_t>(first_child);
        parent.num_children = static_cast<std::uint16_t>(trie.nodes_.size() - first_child);
      }
    }
    level.swap(next);
  }
  trie.nodes_.shrink_to_fit();
  return trie;
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
