// Copies the weights of an attention block to their place among those of all heads and queries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/compute/attention.h"

namespace headscope {

// `to` is [heads, queries, keys].
inline void CopyWeights(const AttentionBlock& block, std::int64_t queries, std::span<float> to) {
  const std::int64_t cells = (block.query_end - block.query_begin) * block.keys;
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    std::copy_n(block.weights.begin() + (head - block.head_begin) * cells,
                cells,
                to.begin() + (head * queries + block.query_begin) * block.keys);
  }
}

}  // namespace headscope
