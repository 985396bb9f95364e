#include "core/figure/pool.h"

#include <algorithm>
#include <cstddef>

#include "core/base/check.h"

namespace headscope {

std::vector<float> PoolMap(std::span<const float> weights,
                           std::int64_t queries,
                           std::int64_t keys,
                           std::int64_t rows,
                           std::int64_t cols,
                           Pool pool) {
  HEADSCOPE_CHECK(rows > 0 && rows <= queries && cols > 0 && cols <= keys, "pooling only shrinks");
  HEADSCOPE_CHECK(static_cast<std::int64_t>(weights.size()) == queries * keys,
                  "a map has a weight for each cell");
  std::vector<float> pooled(static_cast<std::size_t>(rows * cols), -1.0F);
  std::vector<float> visible(pool == Pool::kMean ? pooled.size() : 0U, 0.0F);
  for (std::int64_t query = 0; query < queries; ++query) {
    const std::int64_t row = query * rows / queries;
    const float* in = weights.data() + query * keys;
    for (std::int64_t key = 0; key < keys; ++key) {
      const auto cell = static_cast<std::size_t>(row * cols + key * cols / keys);
      if (pool == Pool::kLargest) {
        pooled[cell] = std::max(pooled[cell], in[key]);
      } else if (in[key] >= 0.0F) {
        pooled[cell] = std::max(pooled[cell], 0.0F) + in[key];
        visible[cell] += 1.0F;
      }
    }
  }
  for (std::size_t cell = 0; cell < visible.size(); ++cell) {
    if (visible[cell] > 0.0F) {
      pooled[cell] /= visible[cell];
    }
  }
  return pooled;
}

}  // namespace headscope
