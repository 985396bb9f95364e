#include "core/headcount/score_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "core/base/singular_values.h"
#include "tests/support/backends.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/unit/headcount/layer.h"

namespace headscope {
namespace {

struct OwnScores {
  std::int64_t tokens = 8;
  std::int64_t head_dim = 8;
};

// One head whose queries and keys are given.
std::shared_ptr<const LayerAttention> LayerOf(const OwnScores& of,
                                              std::vector<float> queries,
                                              std::vector<float> keys) {
  LayerAttention::Content content;
  content.shape = {.queries = of.tokens,
                   .keys = of.tokens,
                   .heads = 1,
                   .kv_heads = 1,
                   .head_dim = of.head_dim,
                   .value_dim = of.head_dim};
  content.rule.scale = 1.0 / std::sqrt(static_cast<double>(of.head_dim));
  content.rule.causal = true;
  content.queries = std::move(queries);
  content.values = keys;
  content.keys = std::move(keys);
  content.row_max.resize(static_cast<std::size_t>(of.tokens));
  content.row_inverse_sum.resize(content.row_max.size());
  content.thumbnails.resize(1);
  return std::make_shared<const LayerAttention>(std::move(content));
}

SplitResult CutOf(const std::shared_ptr<const LayerAttention>& layer,
                  std::vector<std::int64_t> counts,
                  SegmentKind segments = SegmentKind::kContiguous) {
  const std::int64_t width = layer->shape().heads * layer->shape().head_dim;
  Output output(MakeReferenceBackend(), width, 10);
  auto split = SplitLayer(
      {.backend = output.backend(), .output = &output.linear(), .costs = {}, .layer = layer},
      {.head_counts = std::move(counts), .segments = segments},
      {});
  REQUIRE(split);
  return std::move(*split);
}

}  // namespace

TEST_CASE("A head whose queries are all alike has scores of rank 1, with norms for a value",
          "[headcount][rank]") {
  RandomStream random(3);
  const OwnScores of{.tokens = 9, .head_dim = 4};
  const auto one = RandomValues(4, &random);
  std::vector<float> queries;
  for (int i = 0; i < 9; ++i) {
    queries.insert(queries.end(), one.begin(), one.end());
  }
  const auto keys = RandomValues(36, &random);
  const auto ranks = RanksOf(*LayerOf(of, queries, keys), {});
  REQUIRE(ranks);
  REQUIRE(ranks->size() == 1);
  const ScoreRank& rank = ranks->front();
  CHECK(rank.Bound() == 4);
  CHECK(rank.IsBottleneck());
  CHECK(rank.Rank() == 1);
  CHECK(rank.EffectiveRank() == Approx(1.0).margin(1e-9));
  // |1| times the norm of the row of scores.
  double square = 0.0;
  for (std::size_t key = 0; key < 9; ++key) {
    double score = 0.0;
    for (std::size_t i = 0; i < 4; ++i) {
      score += static_cast<double>(one[i]) * static_cast<double>(keys[key * 4 + i]);
    }
    square += score * score / 4.0;
  }
  CHECK(rank.values.front() == Approx(3.0 * std::sqrt(square)).epsilon(1e-12));
  CHECK(rank.LeftOut(1) < 1e-12);
  CHECK(rank.LeftOut(0) == 1.0);
}

TEST_CASE("Queries and keys that are the identity give scores with equal values",
          "[headcount][rank]") {
  const OwnScores of{.tokens = 8, .head_dim = 8};
  std::vector<float> identity(64, 0.0F);
  for (std::size_t i = 0; i < 8; ++i) {
    identity[i * 8 + i] = 1.0F;
  }
  const auto ranks = RanksOf(*LayerOf(of, identity, identity), {});
  REQUIRE(ranks);
  const ScoreRank& rank = ranks->front();
  CHECK_FALSE(rank.IsBottleneck());
  CHECK(rank.Rank() == 8);
  CHECK(rank.EffectiveRank() == Approx(8.0));
  for (const double value : rank.values) {
    CHECK(value == Approx(1.0 / std::sqrt(8.0)));
  }
  CHECK(rank.LeftOut(6) == Approx(0.5));  // two of eight equal squares
}

TEST_CASE("No head has a rank above its columns, and its values are those of its scores",
          "[headcount][rank]") {
  const auto segments =
      GENERATE(SegmentKind::kContiguous, SegmentKind::kStrided, SegmentKind::kOverlapping);
  const std::int64_t kv_heads = GENERATE(4, 2);
  const auto layer = MakeLayer({.tokens = 11, .heads = 4, .kv_heads = kv_heads, .head_dim = 6});
  const SplitResult split = CutOf(layer, {1, 2, 3, 4, 24}, segments);
  CHECK(split.all_columns.head_dim == 24);
  for (const SplitCount& count : split.counts) {
    REQUIRE(std::ssize(count.ranks) == count.heads);
    for (std::int64_t head = 0; head < count.heads; ++head) {
      const ScoreRank& rank = count.ranks[static_cast<std::size_t>(head)];
      const auto columns = count.attention->columns(head);
      CHECK(rank.head_dim == std::ssize(columns));
      // Query heads that share a key have its columns once.
      std::set<std::int64_t> of_keys;
      for (const std::int64_t column : columns) {
        of_keys.insert(column / 6 / (4 / kv_heads) * 6 + column % 6);
      }
      CHECK(rank.Rank() == std::min<std::int64_t>(11, std::ssize(of_keys)));
      std::vector<double> scores;  // of all cells, masked or not
      for (std::int64_t query = 0; query < 11; ++query) {
        for (std::int64_t key = 0; key < 11; ++key) {
          scores.push_back(count.attention->scale(head) *
                           count.attention->DotProduct(head, query, key));
        }
      }
      const auto slow = SingularValues(scores, 11, 11);
      for (std::size_t i = 0; i < rank.values.size(); ++i) {
        CHECK(rank.values[i] == test::Near(slow[i], 1e-12 * slow[0]));
      }
    }
  }
}

TEST_CASE("What a rank leaves out is the least distance, and the whole cut of one head leaves none",
          "[headcount][rank]") {
  const SplitResult split = CutOf(MakeLayer({.tokens = 16, .heads = 4, .kv_heads = 4}), {1, 4});
  const ScoreRank& all = split.all_columns;
  CHECK(all.values == split.counts.front().ranks.front().values);
  CHECK(all.LeftOut(all.Bound()) == 0.0);
  double before = 1.0;
  for (std::int64_t rank = 1; rank <= all.Bound(); ++rank) {
    CHECK(all.LeftOut(rank) < before);
    before = all.LeftOut(rank);
  }
  const double squares =
      std::inner_product(all.values.begin(), all.values.end(), all.values.begin(), 0.0);
  CHECK(all.LeftOut(all.Bound() - 1) == Approx(all.values.back() / std::sqrt(squares)));
}

TEST_CASE("Of a long text the first tokens are read", "[headcount][rank]") {
  RandomStream random(8);
  const OwnScores of{.tokens = kMostRankTokens + 44, .head_dim = 3};
  const auto ranks = RanksOf(*LayerOf(of,
                                      RandomValues(of.tokens * of.head_dim, &random),
                                      RandomValues(of.tokens * of.head_dim, &random)),
                             {});
  REQUIRE(ranks);
  CHECK(ranks->front().queries == kMostRankTokens);
  CHECK(ranks->front().keys == kMostRankTokens);
  CHECK(ranks->front().Rank() == 3);
}

TEST_CASE("Equal weights leave scores of rank 1 at every count", "[headcount][rank]") {
  const OwnScores of{.tokens = 12, .head_dim = 16};
  RandomStream random(2);
  std::vector<float> rows;
  for (const float sum : RandomValues(12, &random)) {
    rows.insert(rows.end(), 16, sum);
  }
  for (const SplitCount& count : CutOf(LayerOf(of, rows, rows), {1, 2, 4, 16}).counts) {
    for (const ScoreRank& rank : count.ranks) {
      CHECK(rank.Rank() == 1);
    }
  }
}

}  // namespace headscope
