// A layer of one head whose weights are given, row by row.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/attention/thumbnail_builder.h"

namespace headscope::test {

inline std::shared_ptr<const LayerAttention> GivenMap(const std::vector<std::vector<float>>& rows,
                                                      bool causal) {
  const auto n = static_cast<std::int64_t>(rows.size());
  LayerAttention::Content content;
  content.shape = {.queries = n, .keys = n, .heads = 1, .kv_heads = 1};
  content.rule.causal = causal;
  auto kept = std::make_shared<std::vector<float>>();
  for (const std::vector<float>& row : rows) {
    kept->insert(kept->end(), row.begin(), row.end());
  }
  ThumbnailBuilder builder(content.shape, content.rule, 128);
  const std::vector<float> nothing(rows.size());
  content.largest = {LargestWhereSeveral(content.rule, 0, n, *kept)};
  builder.Add({.head_begin = 0,
               .head_end = 1,
               .query_begin = 0,
               .query_end = n,
               .keys = n,
               .weights = *kept,
               .row_max = nothing,
               .row_inverse_sum = nothing});
  content.thumbnails = builder.Take();
  content.given = {.weights = {.name = "attention",
                               .type = DataType::kF32,
                               .shape = {1, n, n},
                               .bytes = std::as_bytes(std::span<const float>(*kept))},
                   .keeper = kept};
  return std::make_shared<const LayerAttention>(std::move(content));
}

}  // namespace headscope::test
