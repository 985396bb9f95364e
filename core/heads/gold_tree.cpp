#include "core/heads/gold_tree.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace headscope {
namespace {

constexpr std::size_t kFewestTreeWords = 3;

}  // namespace

std::int64_t GoldTree::edges() const {
  return std::ranges::count_if(head, [](std::int64_t word) { return word >= 0; });
}

std::int64_t GoldTree::edges_of_neighbours() const {
  std::int64_t count = 0;
  for (std::size_t word = 1; word < words.size(); ++word) {
    count += HasEdge(word - 1, word) ? 1 : 0;
  }
  return count;
}

GoldTree GoldTreeOf(const AnnotatedSentence& sentence, std::span<const std::int64_t> pieces) {
  GoldTree tree;
  std::vector<std::int64_t> place(sentence.words.size(), -1);
  bool has_root = false;
  for (std::size_t word = 0; word < sentence.words.size(); ++word) {
    const AnnotatedWord& one = sentence.words[word];
    if (pieces[word] > 0 && !one.relation.empty() && one.relation != "punct") {
      if (one.head < 0 && !has_root) {
        tree.root = tree.words.size();
        has_root = true;
      }
      place[word] = std::ssize(tree.words);
      tree.words.push_back(word);
    }
  }
  if (tree.words.size() < kFewestTreeWords) {
    return {};
  }
  for (const std::size_t word : tree.words) {
    const std::int64_t head = sentence.words[word].head;
    tree.head.push_back(head < 0 ? -1 : place[static_cast<std::size_t>(head)]);
  }
  return tree.edges() > 0 ? tree : GoldTree();
}

std::int64_t EdgesFound(const GoldTree& tree,
                        std::span<const float> map,
                        std::size_t words,
                        std::size_t step) {
  // A weight and a number in one, so that they are chosen without a jump, since which one is larger is
  // anybody's guess: floats that are not below 0 are in the order of their bits, and of equals the one
  // with the smaller number comes first.
  const auto ranked = [](float weight, std::size_t number) {
    return (std::uint64_t{std::bit_cast<std::uint32_t>(weight)} << 32U) |
           (0xFFFFFFFFU - static_cast<std::uint32_t>(number));
  };
  const auto number_of = [](std::uint64_t rank) {
    return 0xFFFFFFFFU - static_cast<std::uint32_t>(rank);
  };
  struct Word {
    std::uint32_t word = 0;     // of the tree
    std::uint32_t cell = 0;     // of a row of the map
    std::uint64_t nearest = 0;  // of those that are in, by when they came
  };
  std::vector<Word> out;                              // the words that are not in
  std::vector<std::size_t> place(tree.words.size());  // of each in `out`
  std::vector<std::size_t> in = {tree.root};
  out.reserve(tree.words.size());
  in.reserve(tree.words.size());
  for (std::size_t word = 0; word < tree.words.size(); ++word) {
    if (word != tree.root) {
      place[word] = out.size();
      out.push_back({.word = static_cast<std::uint32_t>(word),
                     .cell = static_cast<std::uint32_t>(tree.words[word] * step)});
    }
  }
  std::int64_t found = 0;
  while (!out.empty()) {
    const std::size_t newest = tree.words[in.back()];
    const float* const row = map.data() + newest * words * step;
    const float* const column = map.data() + newest * step;
    std::uint64_t most = 0;
    for (Word& one : out) {
      const float own = row[one.cell] + column[one.cell * words];
      one.nearest = std::max(one.nearest, ranked(own, in.size() - 1));
      most = std::max(most, (one.nearest | 0xFFFFFFFFU) - one.word);
    }
    Word& next = out[place[number_of(most)]];
    found += tree.HasEdge(in[number_of(next.nearest)], next.word) ? 1 : 0;
    in.push_back(next.word);
    place[out.back().word] = place[next.word];
    next = out.back();
    out.pop_back();
  }
  return found;
}

}  // namespace headscope
