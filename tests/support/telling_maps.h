// Maps in which no two cells are alike and neighbours lie far apart: whoever takes the wrong cell
// shows it.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/attention/thumbnail_builder.h"

namespace headscope::test {

// Cell number `index` of at most 2^22: an odd multiplier passes through all of them before one
// comes again.
inline float TellingWeight(std::int64_t index) {
  constexpr std::uint64_t kCells = std::uint64_t{1} << 22U;
  const std::uint64_t mixed = (static_cast<std::uint64_t>(index) + 1) * 2'654'435'761ULL % kCells;
  return static_cast<float>(mixed) / static_cast<float>(kCells);
}

inline std::vector<float> TellingWeights(std::int64_t count) {
  std::vector<float> weights;
  for (std::int64_t i = 0; i < count; ++i) {
    weights.push_back(TellingWeight(i));
  }
  return weights;
}

// A layer that holds [heads, queries, keys] of them, 0 where the rule masks, and their thumbnails.
inline std::shared_ptr<const LayerAttention> TellingLayer(std::int64_t heads,
                                                          std::int64_t queries,
                                                          std::int64_t keys,
                                                          const AttentionRule& rule,
                                                          std::int64_t thumbnail_size) {
  LayerAttention::Content content;
  content.shape = {.queries = queries, .keys = keys, .heads = heads, .kv_heads = heads};
  content.rule = rule;
  auto kept = std::make_shared<std::vector<float>>(TellingWeights(heads * queries * keys));
  for (std::int64_t row = 0; row < heads * queries; ++row) {
    for (std::int64_t key = 0; key < keys; ++key) {
      if (key < rule.FirstVisible(row % queries) || key >= rule.LastVisible(row % queries, keys)) {
        (*kept)[static_cast<std::size_t>(row * keys + key)] = 0.0F;
      }
    }
  }
  ThumbnailBuilder builder(content.shape, rule, thumbnail_size);
  const std::vector<float> nothing(static_cast<std::size_t>(heads * queries));
  builder.Add({.head_begin = 0,
               .head_end = heads,
               .query_begin = 0,
               .query_end = queries,
               .keys = keys,
               .weights = *kept,
               .row_max = nothing,
               .row_inverse_sum = nothing});
  content.thumbnails = builder.Take();
  content.given = {.weights = {.name = "attention",
                               .type = DataType::kF32,
                               .shape = {heads, queries, keys},
                               .bytes = std::as_bytes(std::span<const float>(*kept))},
                   .keeper = kept};
  return std::make_shared<const LayerAttention>(std::move(content));
}

}  // namespace headscope::test
