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

// Makes and pools a few rows at a time. The rows of one row of cells are pooled on their own, just
// as PoolMap pools them within the whole map.
Result<std::vector<float>> PooledMap(const MapView& view,
                                     std::int64_t rows,
                                     std::int64_t cols,
                                     Pool pool,
                                     const std::stop_token& stop) {
  constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 20;
  const std::int64_t keys = view.keys();
  const auto first_query = [&](std::int64_t row) {
    return (row * view.queries() + rows - 1) / rows;
  };
  const std::int64_t step = std::max<std::int64_t>(1, kCellsAtOnce / keys * rows / view.queries());
  std::vector<float> pooled;
  std::vector<float> block;
  for (std::int64_t row = 0; row < rows; row += step) {
    if (stop.stop_requested()) {
      return Fail(ErrorCode::kCancelled, "stopped");
    }
    const std::int64_t begin = first_query(row);
    const std::int64_t end = first_query(std::min(rows, row + step));
    block.resize(static_cast<std::size_t>((end - begin) * keys));
    view.DrawableRows(begin, end, block);
    for (std::int64_t each = row; each < std::min(rows, row + step); ++each) {
      const std::int64_t count = first_query(each + 1) - first_query(each);
      const auto own = std::span<const float>(block).subspan(
          static_cast<std::size_t>((first_query(each) - begin) * keys),
          static_cast<std::size_t>(count * keys));
      const std::vector<float> cells = PoolMap(own, count, keys, 1, cols, pool);
      pooled.insert(pooled.end(), cells.begin(), cells.end());
    }
  }
  return pooled;
}

}  // namespace headscope
