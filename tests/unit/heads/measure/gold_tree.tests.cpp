#include "core/heads/measure/gold_tree.h"

#include <cmath>

#include "core/base/random.h"
#include "tests/support/catch.h"

namespace headscope {
namespace {

// Words with these heads; -1 is the root, -2 a word of punctuation.
AnnotatedSentence SentenceOf(const std::vector<std::int64_t>& heads) {
  AnnotatedSentence sentence;
  for (const std::int64_t head : heads) {
    AnnotatedWord word;
    word.head = head == -2 ? 0 : head;
    word.relation = head == -2 ? "punct" : (head == -1 ? "root" : "dep");
    sentence.words.push_back(std::move(word));
  }
  return sentence;
}

GoldTree TreeOf(const std::vector<std::int64_t>& heads) {
  return GoldTreeOf(SentenceOf(heads), std::vector<std::int64_t>(heads.size(), 1));
}

// The edges of one map's tree that the annotated one has: the other seven maps are empty.
std::int64_t EdgesFound(const GoldTree& tree, std::span<const float> map, std::size_t words) {
  std::vector<float> beside_none(map.size() * kLanesOfGroup);
  for (std::size_t cell = 0; cell < map.size(); ++cell) {
    beside_none[cell * kLanesOfGroup] = map[cell];
  }
  EdgeRoom room;
  std::int64_t found = 0;
  CountEdgesFound(tree, beside_none, words, &room, {&found, 1});
  return found;
}

}  // namespace

TEST_CASE("attention along a tree draws it, whichever way round", "[heads]") {
  const std::vector<std::int64_t> heads = {2, 2, -1, 5, 5, 2, 5};
  const GoldTree tree = TreeOf(heads);
  CHECK(tree.edges() == 6);
  CHECK(tree.root == 2);
  CHECK(tree.edges_of_neighbours() == 3);
  std::vector<float> up(49, 0.0F);
  std::vector<float> down(49, 0.0F);
  std::vector<float> next(49, 0.0F);
  for (std::size_t word = 0; word < 7; ++word) {
    if (heads[word] >= 0) {
      up[word * 7 + static_cast<std::size_t>(heads[word])] = 0.4F;
      down[static_cast<std::size_t>(heads[word]) * 7 + word] = 0.1F;
    }
    next[word * 7 + (word == 0 ? 0 : word - 1)] = 0.9F;
  }
  CHECK(EdgesFound(tree, up, 7) == 6);
  CHECK(EdgesFound(tree, down, 7) == 6);
  // It draws what joining neighbours draws.
  CHECK(EdgesFound(tree, next, 7) == 3);
}

TEST_CASE("punctuation and words without tokens are no part of a tree", "[heads]") {
  const AnnotatedSentence sentence = SentenceOf({2, -2, -1, 2, 3});
  const GoldTree tree = GoldTreeOf(sentence, std::vector<std::int64_t>{1, 1, 1, 1, 1});
  CHECK(tree.words == std::vector<std::size_t>{0, 2, 3, 4});
  CHECK(tree.edges() == 3);
  CHECK(tree.edges_of_neighbours() == 3);
  // Word 4 hangs from one that has no token.
  const GoldTree cut = GoldTreeOf(sentence, std::vector<std::int64_t>{1, 1, 1, 0, 2});
  CHECK(cut.words == std::vector<std::size_t>{0, 2, 4});
  CHECK(cut.edges() == 1);
  CHECK(TreeOf({-1, 0}).words.empty());
  CHECK(GoldTreeOf(SentenceOf({-2, -2, -2, -2}), std::vector<std::int64_t>(4, 1)).words.empty());
}

TEST_CASE("the tree that is drawn is the heaviest of all", "[heads]") {
  constexpr std::size_t kWords = 6;
  RandomStream random(21);
  for (int trial = 0; trial < 20; ++trial) {
    std::vector<float> map(kWords * kWords);
    for (float& weight : map) {
      weight = static_cast<float>(random.Uniform());
    }
    // Every way to hang five words from six, where the first is reached from all.
    std::vector<std::int64_t> heaviest;
    double most = 0.0;
    for (std::int64_t code = 0; code < 6 * 6 * 6 * 6 * 6; ++code) {
      std::vector<std::int64_t> heads = {-1};
      double sum = 0.0;
      std::int64_t rest = code;
      for (std::size_t word = 1; word < kWords; ++word, rest /= 6) {
        heads.push_back(rest % 6);
        const auto head = static_cast<std::size_t>(rest % 6);
        sum += static_cast<double>(map[word * kWords + head]) +
               static_cast<double>(map[head * kWords + word]);
      }
      bool is_tree = true;
      for (std::size_t word = 1; word < kWords; ++word) {
        std::size_t at = word;
        for (std::size_t step = 0; step < kWords && at != 0; ++step) {
          at = static_cast<std::size_t>(heads[at]);
        }
        is_tree = is_tree && at == 0;
      }
      if (is_tree && sum > most) {
        most = sum;
        heaviest = heads;
      }
    }
    CHECK(EdgesFound(TreeOf(heaviest), map, kWords) == 5);
  }
}

TEST_CASE("a random map draws as many edges as a tree at random", "[heads]") {
  RandomStream random(22);
  double found = 0.0;
  double chance = 0.0;
  for (int trial = 0; trial < 3000; ++trial) {
    constexpr std::size_t kWords = 8;
    std::vector<std::int64_t> heads(kWords, -1);
    for (std::size_t word = 1; word < kWords; ++word) {
      heads[word] = static_cast<std::int64_t>(random.Below(word));
    }
    const GoldTree tree = TreeOf(heads);
    std::vector<float> map(kWords * kWords);
    for (float& weight : map) {
      weight = static_cast<float>(random.Uniform());
    }
    found += static_cast<double>(EdgesFound(tree, map, kWords));
    chance += 2.0 / 8.0 * 7.0;
  }
  // Random weights do not make all trees equally likely, but any edge as likely as another.
  CHECK(std::abs(found / chance - 1.0) < 0.05);
}

}  // namespace headscope
