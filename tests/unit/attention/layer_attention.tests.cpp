#include "core/attention/layer_attention.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/attention/stored_weights.h"
#include "tests/support/captured.h"
#include "tests/support/catch.h"
#include "tests/support/float_bounds.h"
#include "tests/support/random_positions.h"
#include "tests/unit/attention/random_layer.h"

namespace headscope {
namespace {

using test::RandomContent;

AttentionShape LayerShape(std::int64_t n,
                          std::int64_t m,
                          std::int64_t heads,
                          std::int64_t kv_heads) {
  return {
      .queries = n, .keys = m, .heads = heads, .kv_heads = kv_heads, .head_dim = 5, .value_dim = 3};
}

}  // namespace

TEST_CASE("equal scores spread evenly over what a query sees", "[attention][layer]") {
  AttentionShape shape = LayerShape(7, 7, 2, 1);
  const bool is_causal = GENERATE(false, true);
  LayerAttention::Content content = RandomContent(shape, {.scale = 0.5, .causal = is_causal});
  std::fill(content.queries.begin(), content.queries.end(), 0.0F);
  const LayerAttention layer(std::move(content));
  for (std::int64_t head = 0; head < 2; ++head) {
    const std::vector<float> map = test::MapOf(layer, head);
    for (std::int64_t query = 0; query < 7; ++query) {
      for (std::int64_t key = 0; key < 7; ++key) {
        const float weight = map[static_cast<std::size_t>(query * 7 + key)];
        if (is_causal && key > query) {
          CHECK(weight == 0.0F);
          CHECK_FALSE(layer.Visible(query, key));
          CHECK(layer.Score(head, query, key) == -std::numeric_limits<double>::infinity());
        } else {
          CHECK(weight == 1.0F / (is_causal ? static_cast<float>(query + 1) : 7.0F));
          CHECK(layer.Visible(query, key));
          CHECK(layer.Score(head, query, key) == 0.0);
        }
      }
    }
  }
}

TEST_CASE("weights, scores and dot products follow the formula", "[attention][layer]") {
  struct Case {
    AttentionShape shape;
    AttentionRule rule;
  };
  const auto one = GENERATE(values<Case>({
      {LayerShape(6, 6, 3, 3), {.scale = 0.4, .causal = true}},
      {LayerShape(9, 9, 4, 2), {.scale = 1.0}},
      {LayerShape(3, 20, 2, 2), {.scale = 0.3}},
      {LayerShape(4, 11, 6, 1), {.scale = 0.7, .causal = true, .offset = 7}},
      {LayerShape(12, 12, 1, 1), {.scale = 2.0, .softcap = 1.5, .causal = true}},
      {LayerShape(17, 17, 2, 1), {.scale = 0.9, .causal = true, .window = 4}},
      {LayerShape(1, 1, 2, 2), {.scale = 1.0, .causal = true}},
  }));
  const AttentionShape& shape = one.shape;
  const LayerAttention layer(RandomContent(shape, one.rule));
  const auto& parts = layer.content();
  const std::int64_t group = shape.heads / shape.kv_heads;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const std::vector<float> map = test::MapOf(layer, head);
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      std::vector<double> weights(static_cast<std::size_t>(shape.keys));
      double sum = 0.0;
      for (std::int64_t key = 0; key < shape.keys; ++key) {
        double dot = 0.0;
        double size = 0.0;
        for (std::int64_t i = 0; i < shape.head_dim; ++i) {
          const auto q = static_cast<std::size_t>((query * shape.heads + head) * 5 + i);
          const auto k = static_cast<std::size_t>((key * shape.kv_heads + head / group) * 5 + i);
          const double term =
              static_cast<double>(parts.queries[q]) * static_cast<double>(parts.keys[k]);
          dot += term;
          size += std::abs(term);
        }
        const double bound = 2.0 * test::SumBound(size, shape.head_dim, test::kDoubleUnit);
        CHECK(std::abs(layer.DotProduct(head, query, key) - dot) <= bound);
        const std::int64_t distance = query + one.rule.offset - key;
        const bool is_visible = (!one.rule.causal || distance >= 0) &&
                                (one.rule.window == 0 || distance < one.rule.window);
        CHECK(layer.Visible(query, key) == is_visible);
        if (!is_visible) {
          continue;
        }
        double score = one.rule.scale * dot;
        if (one.rule.softcap > 0.0) {
          score = one.rule.softcap * std::tanh(score / one.rule.softcap);
        }
        CHECK(std::abs(layer.Score(head, query, key) - score) <=
              one.rule.scale * bound + 8.0 * test::kDoubleUnit * std::abs(score));
        weights[static_cast<std::size_t>(key)] = std::exp(score);
        sum += std::exp(score);
      }
      std::vector<float> row(static_cast<std::size_t>(shape.keys));
      layer.Row(head, query, row);
      double total = 0.0;
      for (std::size_t key = 0; key < row.size(); ++key) {
        // Made in double, and rounded once.
        CHECK(std::abs(static_cast<double>(row[key]) - weights[key] / sum) <=
              1.001 * test::kUnit * weights[key] / sum);
        CHECK((weights[key] > 0.0 || row[key] == 0.0F));
        CHECK(row[key] == map[static_cast<std::size_t>(query) * row.size() + key]);
        total += static_cast<double>(row[key]);
      }
      CHECK(std::abs(total - 1.0) <= 1.001 * test::kUnit);
    }
  }
}

TEST_CASE("rows, scores and tiles hold what contents have of positions", "[attention][layer]") {
  const AttentionShape shape = LayerShape(30, 30, 2, 2);
  AttentionRule rule{.scale = 0.4};
  rule.positions = test::RandomPositions(shape, 7, true, true, 3);
  LayerAttention::Content content = RandomContent(shape, rule);
  std::vector<float> map;
  for (std::int64_t head = 0; head < 2; ++head) {
    for (std::int64_t query = 0; query < 30; ++query) {
      std::vector<double> scores;
      for (std::int64_t key = 0; key < 30; ++key) {
        scores.push_back(
            test::ScoreWithPositions(shape, rule, content.queries, content.keys, head, query, key));
      }
      const auto most = static_cast<float>(*std::ranges::max_element(scores));
      double sum = 0.0;
      for (double& score : scores) {
        score = std::exp(score - static_cast<double>(most));
        sum += score;
      }
      for (const double score : scores) {
        map.push_back(static_cast<float>(score / sum));
      }
      content.row_max.push_back(most);
      content.row_inverse_sum.push_back(static_cast<float>(1.0 / sum));
    }
  }
  const LayerAttention layer(std::move(content));
  const LayerAttention::Content& parts = layer.content();
  for (std::int64_t head = 0; head < 2; ++head) {
    const auto expected = std::span(map).subspan(static_cast<std::size_t>(head * 900), 900);
    CHECK(test::LargestDifference(test::MapOf(layer, head), expected) <= 1e-7);
    std::vector<float> tile(12 * 9);
    StoredWeights(layer, head)
        .Make({.query_begin = 5, .query_end = 17, .key_begin = 8, .key_end = 17}, tile);
    for (std::size_t i = 0; i < tile.size(); ++i) {
      const float weight = expected[(5 + i / 9) * 30 + 8 + i % 9];
      CHECK(std::abs(tile[i] - weight) <= 2e-6F);
    }
    const double score =
        test::ScoreWithPositions(shape, rule, parts.queries, parts.keys, head, 4, 21);
    CHECK(std::abs(layer.Score(head, 4, 21) - score) <= 1e-12);
    const PositionScore positions = layer.PositionPart(head, 4, 21);
    CHECK(std::abs(layer.scale(head) * layer.DotProduct(head, 4, 21) + positions.query_content +
                   positions.key_content - score) <= 1e-12);
  }
}

TEST_CASE("rows of a head are the same alone, together and in the map", "[attention][layer]") {
  const AttentionShape shape = LayerShape(23, 23, 2, 2);
  const LayerAttention layer(
      RandomContent(shape, {.scale = 1.0, .causal = true, .window = GENERATE(0, 6)}));
  const std::vector<float> map = test::MapOf(layer, 1);
  for (const auto& [begin, end] : {std::pair(0, 23), std::pair(5, 9), std::pair(22, 23)}) {
    std::vector<float> rows(static_cast<std::size_t>((end - begin) * 23));
    layer.Rows(1, begin, end, rows);
    CHECK(std::equal(rows.begin(), rows.end(), map.begin() + begin * 23));
  }
  layer.Rows(1, 4, 4, {});
}

TEST_CASE("a head is measured by its rows that see two keys or more", "[attention][layer]") {
  struct Case {
    AttentionShape shape;
    AttentionRule rule;
  };
  const Case one = GENERATE(values<Case>({
      {LayerShape(23, 23, 2, 1), {.scale = 3.0, .causal = true}},
      {LayerShape(23, 23, 2, 2), {.scale = 3.0, .causal = true, .window = 4}},
      {LayerShape(7, 9, 2, 2), {.scale = 3.0}},
      {LayerShape(23, 23, 2, 2), {.scale = 3.0, .causal = true, .window = 1}},
      {LayerShape(1, 1, 2, 2), {.scale = 3.0, .causal = true}},
  }));
  LayerAttention::Content content = RandomContent(one.shape, one.rule);
  const LayerAttention plain(content);
  float expected[2] = {0.0F, 0.0F};
  for (std::int64_t head = 0; head < 2; ++head) {
    for (std::int64_t query = 0; query < one.shape.queries; ++query) {
      std::vector<float> row(static_cast<std::size_t>(one.shape.keys));
      plain.Row(head, query, row);
      const float largest = *std::max_element(row.begin(), row.end());
      content.row_inverse_sum.push_back(largest);
      if (std::count_if(row.begin(), row.end(), [](float weight) { return weight > 0.0F; }) > 1) {
        expected[head] = std::max(expected[head], largest);
      }
    }
  }
  const LayerAttention layer(std::move(content));
  for (std::int64_t head = 0; head < 2; ++head) {
    CHECK(layer.largest(head) == expected[head]);
    CHECK(LargestWhereSeveral(one.rule, 0, one.shape.keys, test::MapOf(layer, head)) ==
          expected[head]);
  }
  if (one.rule.causal && one.rule.window == 0 && one.shape.queries > 1) {
    CHECK(layer.largest(0) < 1.0F);  // though row 0 has a 1
  }
}

TEST_CASE("scores of a thousand neither overflow nor lose the sum", "[attention][layer]") {
  LayerAttention::Content content =
      RandomContent(LayerShape(8, 8, 1, 1), {.scale = 500.0, .causal = true});
  const LayerAttention layer(std::move(content));
  const std::vector<float> map = test::MapOf(layer, 0);
  for (std::size_t query = 0; query < 8; ++query) {
    double total = 0.0;
    for (std::size_t key = 0; key < 8; ++key) {
      total += static_cast<double>(map[query * 8 + key]);
    }
    CHECK(std::abs(total - 1.0) <= 1.001 * test::kUnit);
  }
}

TEST_CASE("the bytes of a layer are those of its arrays", "[attention][layer]") {
  LayerAttention::Content content = RandomContent(LayerShape(4, 4, 2, 1), {});
  content.row_max.resize(8);
  content.thumbnails.resize(2);
  content.thumbnails[0].mean.resize(16);
  const LayerAttention layer(std::move(content));
  CHECK(layer.byte_size() == 4 * (4 * 2 * 5 + 4 * 5 + 4 * 3 + 8 + 16));
}

}  // namespace headscope
