// Makes blocks of one head's weights in float32, by one small product and an exp with the two
// numbers stored per row; from exact rows if nothing was stored. Given weights are made drawable.
//
// Shapes   out [queries, keys] of the block; masked weights are exactly 0.
// Threads  immutable.
// Cost     the visible part of the block times dk multiplications.
// Source   docs/architecture.md, "The attention store".
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/attention/head_vectors.h"
#include "core/attention/layer_attention.h"

namespace headscope {

struct WeightBlock {
  std::int64_t query_begin = 0;
  std::int64_t query_end = 0;
  std::int64_t key_begin = 0;
  std::int64_t key_end = 0;

  [[nodiscard]] std::int64_t num_queries() const { return query_end - query_begin; }
  [[nodiscard]] std::int64_t num_keys() const { return key_end - key_begin; }
};

class StoredWeights {
 public:
  // `layer` must outlive this.
  StoredWeights(const LayerAttention& layer, std::int64_t head);

  void Make(const WeightBlock& block, std::span<float> out) const;
  // The largest weight over all keys; 0 if a query sees none.
  [[nodiscard]] float LargestOfRow(std::int64_t query) const;

 private:
  void MakeExact(const WeightBlock& block, std::span<float> out) const;

  const LayerAttention& layer_;
  std::int64_t head_;
  std::optional<HeadVectors> vectors_;  // empty: nothing was stored per row
};

}  // namespace headscope
