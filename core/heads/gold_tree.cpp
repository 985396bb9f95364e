#include "core/heads/gold_tree.h"

#include <algorithm>
#include <cstddef>

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

std::int64_t EdgesFound(const GoldTree& tree, std::span<const float> map, std::size_t words) {
  const std::size_t count = tree.words.size();
  const auto weight = [&](std::size_t left, std::size_t right) {
    return map[tree.words[left] * words + tree.words[right]] +
           map[tree.words[right] * words + tree.words[left]];
  };
  struct Word {
    std::size_t word = 0;
    std::size_t from = 0;  // the nearest that is in
    float best = -1.0F;    // how near that is
  };
  std::vector<Word> out;  // the words that are not in, in order
  out.reserve(count);
  for (std::size_t word = 0; word < count; ++word) {
    if (word != tree.root) {
      out.push_back({.word = word, .from = tree.root});
    }
  }
  std::int64_t found = 0;
  std::size_t newest = tree.root;
  while (!out.empty()) {
    std::size_t next = 0;
    float most = -2.0F;
    for (std::size_t i = 0; i < out.size(); ++i) {
      Word& one = out[i];
      // Chosen without a jump: which one is nearer is anybody's guess.
      const float own = weight(newest, one.word);
      one.from = own > one.best ? newest : one.from;
      one.best = own > one.best ? own : one.best;
      next = one.best > most ? i : next;
      most = one.best > most ? one.best : most;
    }
    newest = out[next].word;
    found += tree.HasEdge(out[next].from, newest) ? 1 : 0;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return found;
}

}  // namespace headscope
