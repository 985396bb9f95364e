// Blocks of one head's weights in float32, by one small product and an exp with what was stored of
// each row; where nothing was stored, from the exact rows. Given weights come as they can be drawn.
//
// Shapes   out [queries, keys] of the block; masked weights exactly 0.
// Threads  any; immutable.
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
  // `layer` outlives this.
  StoredWeights(const LayerAttention& layer, std::int64_t head);

  void Make(const WeightBlock& block, std::span<float> out) const;
  // Over all keys; 0 where a query sees none.
  [[nodiscard]] float LargestOfRow(std::int64_t query) const;

 private:
  void MakeExact(const WeightBlock& block, std::span<float> out) const;

  const LayerAttention& layer_;
  std::int64_t head_;
  std::optional<HeadVectors> vectors_;  // none: nothing was stored of the rows
};

}  // namespace headscope
