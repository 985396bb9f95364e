// A layer of random queries, keys and values, without a model.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/attention/layer_attention.h"
#include "core/base/random.h"

namespace headscope::test {

inline LayerAttention::Content RandomContent(const AttentionShape& shape,
                                             const AttentionRule& rule,
                                             std::uint64_t seed = 1) {
  LayerAttention::Content content;
  content.shape = shape;
  content.rule = rule;
  RandomStream random(seed);
  const auto fill = [&](std::vector<float>* out, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) {
      out->push_back(static_cast<float>(random.Normal()));
    }
  };
  fill(&content.queries, shape.queries * shape.heads * shape.head_dim);
  fill(&content.keys, shape.keys * shape.kv_heads * shape.head_dim);
  fill(&content.values, shape.keys * shape.kv_heads * shape.value_dim);
  return content;
}

// The row maxima and sums as a forward stores them.
inline LayerAttention Stored(const AttentionShape& shape, const AttentionRule& rule) {
  LayerAttention::Content content = RandomContent(shape, rule);
  const LayerAttention scores(content);
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      double max = -std::numeric_limits<double>::infinity();
      double sum = 0.0;
      for (std::int64_t key = 0; key < shape.keys; ++key) {
        max = std::max(max, scores.Score(head, query, key));
      }
      for (std::int64_t key = 0; key < shape.keys && std::isfinite(max); ++key) {
        sum += std::exp(scores.Score(head, query, key) - max);
      }
      content.row_max.push_back(static_cast<float>(max));
      content.row_inverse_sum.push_back(
          sum > 0.0 ? static_cast<float>(rule.ShareOfKeys(head, max, sum) / sum) : 0.0F);
    }
  }
  return LayerAttention(std::move(content));
}

}  // namespace headscope::test
