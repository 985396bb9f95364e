// How much of an annotated tree the attention between a sentence's words draws: the maximum spanning
// tree of A + A transposed, from the annotated root, beside the annotated tree; both without
// directions, over the words that have tokens and are no punctuation.
//
// Shapes   maps [words, words], rows are queries, of all words of the sentence.
// Units    edges; a tree of n words has n - 1. Of a random tree each edge of another is one with
//          probability 2 / n.
// Cost     Prim's algorithm: words squared.
// Source   Htut 2019 (maximum spanning tree from the gold root, undirected score).
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/heads/measure/tree_lanes.h"
#include "core/io/annotated_text.h"

namespace headscope {

struct GoldTree {
  std::vector<std::size_t> words;  // of the sentence, ascending
  std::vector<std::int64_t> head;  // [words] into `words`; -1: the root, or no word of the tree
  std::size_t root = 0;            // into `words`

  [[nodiscard]] bool HasEdge(std::size_t left, std::size_t right) const {
    return head[left] == static_cast<std::int64_t>(right) ||
           head[right] == static_cast<std::int64_t>(left);
  }
  [[nodiscard]] std::int64_t edges() const;
  // That join a word with the next one: what branching to the left or to the right draws.
  [[nodiscard]] std::int64_t edges_of_neighbours() const;
};

// `pieces`: tokens of each word. No words: there are fewer than three, or no tree.
[[nodiscard]] GoldTree GoldTreeOf(const AnnotatedSentence& sentence,
                                  std::span<const std::int64_t> pieces);

struct EdgeRoom {  // kept from call to call
  TreeRoom trees;
  std::vector<std::int32_t> parents;
};
// Counts the edges of a map's tree that the annotated one has, of eight maps side by side
// [words][words][8]: of the first ones, as many as `found` holds.
void CountEdgesFound(const GoldTree& tree,
                     std::span<const float> maps,
                     std::size_t words,
                     EdgeRoom* room,
                     std::span<std::int64_t> found);

}  // namespace headscope
