// Gathers thumbnails of every head from blocks of weights, as they are made.
//
// Shapes   weights [H, n, m] to [H, rows, cols], rows and cols in the proportion of n and m, the
//          longer side at most `size`; cell (r, c) covers the queries [r n / rows, (r + 1) n /
//          rows) and the keys [c m / cols, (c + 1) m / cols), rounded down.
// Units    mean and largest weight of the visible cells; kMasked where none is visible.
// Threads  one caller at a time; the heads of a block go to OpenMP's threads.
// Cost     a pass over the visible weights, and 12 bytes for each cell while it lasts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/compute/attention.h"

namespace headscope {

class ThumbnailBuilder {
 public:
  ThumbnailBuilder(const AttentionShape& shape, const AttentionRule& rule, std::int64_t size);

  // Blocks in any order, each row once.
  void Add(const AttentionBlock& block);
  [[nodiscard]] std::vector<Thumbnail> Take();

 private:
  void AddExact(const AttentionBlock& block);
  void AddPooled(const AttentionBlock& block);
  void AddPooledHead(const AttentionBlock& block,
                     std::int64_t head,
                     float* key_sum,
                     float* key_max);
  void CountVisible();

  AttentionShape shape_;
  AttentionRule rule_;
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  bool pooled_ = false;
  std::vector<std::int64_t> row_begin_;    // [rows + 1], in queries
  std::vector<std::int64_t> col_begin_;    // [cols + 1], in keys
  std::vector<std::int64_t> row_of_;       // [n]
  std::vector<std::int64_t> col_of_;       // [m]
  std::vector<double> sum_;                // [H, rows, cols]
  std::vector<float> max_;                 // [H, rows, cols]
  std::vector<std::int64_t> num_visible_;  // [rows, cols]
  std::vector<Thumbnail> exact_;           // [H], where nothing is pooled
};

}  // namespace headscope
