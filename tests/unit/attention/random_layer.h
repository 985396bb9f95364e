// A layer of random queries, keys and values, without a model.
#pragma once

#include <cmath>

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

}  // namespace headscope::test
