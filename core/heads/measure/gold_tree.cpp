#include "core/heads/measure/gold_tree.h"

#include <algorithm>
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

void CountEdgesFound(const GoldTree& tree,
                     std::span<const float> maps,
                     std::size_t words,
                     EdgeRoom* room,
                     std::span<std::int64_t> found) {
  std::vector<std::int32_t>& parents = room->parents;
  parents.resize(tree.words.size() * kLanesOfGroup);
  DrawTrees(maps.data(), words, tree.words, tree.root, &room->trees, parents);
  std::ranges::fill(found, 0);
  for (std::size_t word = 0; word < tree.words.size(); ++word) {
    for (std::size_t lane = 0; word != tree.root && lane < found.size(); ++lane) {
      const std::int32_t parent = parents[word * kLanesOfGroup + lane];
      found[lane] += tree.HasEdge(static_cast<std::size_t>(parent), word) ? 1 : 0;
    }
  }
}

}  // namespace headscope
