#include "core/figure/pool.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"

namespace headscope {

std::vector<float> PoolLargest(std::span<const float> weights,
                               std::int64_t queries,
                               std::int64_t keys,
                               std::int64_t rows,
                               std::int64_t cols) {
  HEADSCOPE_CHECK(rows > 0 && rows <= queries && cols > 0 && cols <= keys, "pooling only shrinks");
  HEADSCOPE_CHECK(static_cast<std::int64_t>(weights.size()) == queries * keys,
                  "a map has a weight for each cell");
  std::vector<float> pooled(static_cast<std::size_t>(rows * cols), -1.0F);
  for (std::int64_t query = 0; query < queries; ++query) {
    const std::int64_t row = query * rows / queries;
    float* out = pooled.data() + row * cols;
    const float* in = weights.data() + query * keys;
    for (std::int64_t key = 0; key < keys; ++key) {
      float& cell = out[key * cols / keys];
      cell = std::max(cell, in[key]);
    }
  }
  return pooled;
}

}  // namespace headscope
