#include "core/heads/measure/word_cases.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/heads/measure/measure.h"
#include "tests/support/catch.h"
#include "tests/support/made_rows.h"
#include "tests/unit/heads/made_sentences.h"

namespace headscope {

TEST_CASE("a map that follows heads draws its sentence's tree", "[heads]") {
  RandomStream random(11);
  const auto made = MakeSentences(20, &random);
  ProbeCorpus corpus{.probe = "made", .groups = {""}, .sequences = {}};
  for (const MadeSentence& one : made) {
    corpus.sequences.push_back(SequenceOf(one));
    // Every word hangs from the verb.
    AnnotatedSentence star = *corpus.sequences.back().annotation;
    for (std::size_t word = 0; word < kWordsOfMade; ++word) {
      star.words[word].head = word == one.verb ? -1 : static_cast<std::int64_t>(one.verb);
      star.words[word].relation = word == one.verb ? "root" : "dep";
    }
    corpus.sequences.back().annotation = std::make_shared<const AnnotatedSentence>(star);
  }
  const WordCounts counts = CountWords(corpus);
  HeadMeans means;
  for (std::size_t place = 0; place < made.size(); ++place) {
    const std::vector<std::size_t> places = {place};
    WordReader reader(corpus, places, counts, 1, 1);
    const auto verb = static_cast<std::int64_t>(made[place].verb);
    test::Map map(kWordsOfMade, std::vector<float>(kWordsOfMade, 0.01F));
    for (std::vector<float>& row : map) {
      row[static_cast<std::size_t>(verb)] = 0.8F;
    }
    test::ShowMaps({map}, false, reader.BeginLayer({}));
    REQUIRE(reader.EndLayer({}));
    CHECK(reader.has_trees());
    reader.AddTreesTo(&means);
  }
  const auto measure = std::ranges::find(AllMeasures(), "tree_score", &HeadMeasure::id);
  const HeadScore score =
      MeasureScores(*measure, {{"tree_score", means}}, {.layers = 1, .heads = 1}).front();
  CHECK(score.score == 1.0);
  CHECK(score.rows == 20 * 9);
  CHECK(std::abs(*score.chance - 0.2) < 1e-12);
  // A star has one or two edges between neighbours.
  CHECK(*score.control < 0.25);
  CHECK(score.error == 0.0);
}

TEST_CASE("heads side by side answer what each of them answers alone", "[heads]") {
  RandomStream random(11);
  auto made = MakeSentences(6, &random);
  ProbeCorpus corpus{.probe = "made", .groups = {""}, .sequences = {}};
  for (MadeSentence& one : made) {
    for (std::size_t& pieces : one.pieces) {
      pieces += random.Below(3);
    }
    corpus.sequences.push_back(SequenceOf(one));
    AnnotatedSentence tree = *corpus.sequences.back().annotation;
    for (std::size_t word = 0; word < tree.words.size(); ++word) {
      tree.words[word].head = word == 0 ? -1 : static_cast<std::int64_t>(random.Below(word));
      tree.words[word].relation = word == 0 ? "root" : "dep";
    }
    corpus.sequences.back().annotation = std::make_shared<const AnnotatedSentence>(tree);
  }
  const WordCounts counts = CountWords(corpus);
  constexpr std::int64_t kHeads = 19;
  HeadMeans trees;  // of the sentence that was read last
  const auto read = [&](std::size_t place, bool causal, std::span<const float> weights) {
    const std::vector<std::size_t> places = {place};
    const std::int64_t n = corpus.sequences[place].tokens();
    const auto heads = std::ssize(weights) / (n * n);
    WordReader reader(corpus, places, counts, 1, heads);
    test::ShowWeights(weights, heads, n, causal, reader.BeginLayer({}));
    REQUIRE(reader.EndLayer({}));
    REQUIRE(reader.has_trees());
    trees.clear();
    reader.AddTreesTo(&trees);
    return reader.TakeCases();
  };
  std::set<double> drawn;  // edges
  for (std::size_t place = 0; place < made.size(); ++place) {
    const bool causal = place % 2 == 0;
    const std::int64_t n = corpus.sequences[place].tokens();
    std::vector<float> weights;
    for (std::int64_t cell = 0; cell < kHeads * n * n; ++cell) {
      const bool is_seen = !causal || cell % n <= cell / n % n;
      weights.push_back(is_seen ? static_cast<float>(random.Uniform()) : 0.0F);
    }
    const auto all = read(place, causal, weights);
    const HeadMeans all_trees = trees;
    CHECK(!all.empty());
    for (std::size_t head = 0; head < kHeads; ++head) {
      const auto map = static_cast<std::size_t>(n * n);
      const auto alone = read(place, causal, std::span(weights).subspan(head * map, map));
      REQUIRE(alone.size() == all.size());
      CHECK(all_trees[head].sum == trees[0].sum);
      drawn.insert(trees[0].sum);
      for (std::size_t i = 0; i < all.size(); ++i) {
        CHECK(BitOf(all[i].right, head) == BitOf(alone[i].right, 0));
        CHECK(BitOf(all[i].popular, head) == BitOf(alone[i].popular, 0));
      }
    }
  }
  CHECK(drawn.size() > 3);
}

}  // namespace headscope
