// A head all of whose attention is one weight of 1: whoever draws another cell shows it.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/attention/thumbnail_builder.h"

namespace headscope::test {

inline std::shared_ptr<const LayerAttention> OneWeight(std::int64_t queries,
                                                       std::int64_t keys,
                                                       std::int64_t query,
                                                       std::int64_t key) {
  LayerAttention::Content content;
  content.shape = {.queries = queries, .keys = keys, .heads = 1, .kv_heads = 1};
  auto kept = std::make_shared<std::vector<float>>(static_cast<std::size_t>(queries * keys));
  (*kept)[static_cast<std::size_t>(query * keys + key)] = 1.0F;
  ThumbnailBuilder builder(content.shape, content.rule, 128);
  const std::vector<float> nothing(static_cast<std::size_t>(queries));
  builder.Add({.head_begin = 0,
               .head_end = 1,
               .query_begin = 0,
               .query_end = queries,
               .keys = keys,
               .weights = *kept,
               .row_max = nothing,
               .row_inverse_sum = nothing});
  content.thumbnails = builder.Take();
  content.given = {.weights = {.name = "attention",
                               .type = DataType::kF32,
                               .shape = {1, queries, keys},
                               .bytes = std::as_bytes(std::span<const float>(*kept))},
                   .keeper = kept};
  return std::make_shared<const LayerAttention>(std::move(content));
}

}  // namespace headscope::test
