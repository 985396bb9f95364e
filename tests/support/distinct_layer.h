// Layers whose weights differ in every cell, with their weights by a plain softmax in double beside
// them: what is shown can be held against them, and a map that is transposed or shifted differs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/random.h"

namespace headscope::test {

struct DistinctLayer {
  std::shared_ptr<const LayerAttention> layer;
  std::vector<double> weights;  // [H, n, m]; masked 0

  [[nodiscard]] double At(std::int64_t head, std::int64_t query, std::int64_t key) const {
    const AttentionShape& shape = layer->shape();
    return weights[static_cast<std::size_t>((head * shape.queries + query) * shape.keys + key)];
  }
};

// `parts` with a part, a layer, a shape, a rule, queries and keys; the rest is made here.
inline DistinctLayer WithExactWeights(LayerAttention::Content content) {
  const AttentionShape shape = content.shape;
  const AttentionRule& rule = content.rule;
  DistinctLayer made;
  made.weights.assign(static_cast<std::size_t>(shape.heads * shape.queries * shape.keys), 0.0);
  content.values.assign(static_cast<std::size_t>(shape.keys * shape.kv_heads * shape.value_dim),
                        0.0F);
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    Thumbnail thumbnail{.rows = shape.queries, .cols = shape.keys, .mean = {}, .max = {}};
    thumbnail.mean.assign(static_cast<std::size_t>(shape.queries * shape.keys), kMasked);
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      const std::int64_t first = rule.FirstVisible(query);
      const std::int64_t last = rule.LastVisible(query, shape.keys);
      const std::int64_t group = head / (shape.heads / shape.kv_heads);
      std::vector<double> scores;
      for (std::int64_t key = first; key < last; ++key) {
        double dot = 0.0;
        for (std::int64_t i = 0; i < shape.head_dim; ++i) {
          const std::int64_t q = (query * shape.heads + head) * shape.head_dim + i;
          const std::int64_t k = (key * shape.kv_heads + group) * shape.head_dim + i;
          dot += static_cast<double>(content.queries[static_cast<std::size_t>(q)]) *
                 static_cast<double>(content.keys[static_cast<std::size_t>(k)]);
        }
        scores.push_back(rule.scale * dot);
      }
      double largest = scores.at(0);
      for (const double score : scores) {
        largest = std::max(largest, score);
      }
      double sum = 0.0;
      for (const double score : scores) {
        sum += std::exp(score - largest);
      }
      for (std::int64_t key = first; key < last; ++key) {
        const double weight =
            std::exp(scores[static_cast<std::size_t>(key - first)] - largest) / sum;
        const std::int64_t cell = query * shape.keys + key;
        made.weights[static_cast<std::size_t>(head * shape.queries * shape.keys + cell)] = weight;
        thumbnail.mean[static_cast<std::size_t>(cell)] = static_cast<float>(weight);
      }
      content.row_max.push_back(static_cast<float>(largest));
      content.row_inverse_sum.push_back(static_cast<float>(1.0 / sum));
    }
    content.thumbnails.push_back(std::move(thumbnail));
  }
  made.layer = std::make_shared<const LayerAttention>(std::move(content));
  return made;
}

struct DistinctMaps {
  LayerId id;
  std::int64_t heads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  bool causal = true;
};

// Random queries and keys.
inline DistinctLayer MakeDistinct(const DistinctMaps& maps, std::uint64_t seed = 1) {
  LayerAttention::Content content;
  content.part = maps.id.part;
  content.layer = maps.id.layer;
  content.shape = {.queries = maps.queries,
                   .keys = maps.keys,
                   .heads = maps.heads,
                   .kv_heads = maps.heads,
                   .head_dim = 4,
                   .value_dim = 4};
  content.rule = {.scale = 0.5, .causal = maps.causal};
  RandomStream random(seed + static_cast<std::uint64_t>(maps.id.layer));
  for (std::int64_t i = 0; i < maps.queries * maps.heads * 4; ++i) {
    content.queries.push_back(static_cast<float>(random.Normal()));
  }
  for (std::int64_t i = 0; i < maps.keys * maps.heads * 4; ++i) {
    content.keys.push_back(static_cast<float>(random.Normal()));
  }
  return WithExactWeights(std::move(content));
}

// One head whose row over keys 0, 1, 2, ... is in proportion to `counts`, for every query alike as
// far as it sees: weights that can be reckoned by hand. Scores are their logarithms; q.k is twice
// the score, which the scale halves.
inline DistinctLayer MakeCounted(const std::vector<double>& counts, bool causal = true) {
  const auto tokens = static_cast<std::int64_t>(counts.size());
  LayerAttention::Content content;
  content.shape = {
      .queries = tokens, .keys = tokens, .heads = 1, .kv_heads = 1, .head_dim = 1, .value_dim = 1};
  content.rule = {.scale = 0.5, .causal = causal};
  content.queries.assign(counts.size(), 2.0F);
  for (const double count : counts) {
    content.keys.push_back(static_cast<float>(std::log(count)));
  }
  return WithExactWeights(std::move(content));
}

}  // namespace headscope::test
