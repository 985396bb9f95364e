// Builds thumbnails of all heads from blocks of weights, as they are made.
//
// Shapes   weights [H, n, m] to [H, rows, cols]: cell (r, c) covers queries [r s, (r + 1) s) and
//          keys [c s, (c + 1) s), as far as they exist; s is the smallest power of two for which no
//          side has more than `size` cells. So when a text grows, cells keep their place, or four
//          of them become one.
// Units    mean and largest visible weight; kMasked if none is visible.
// Threads  one caller at a time; the heads of a block go to OpenMP's threads.
// Cost     one pass over the visible weights; meanwhile 12 bytes per cell.
#pragma once

#include <cstdint>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/compute/attention.h"

namespace headscope {

// Returns the level at which a cell's side is 2^level weights.
[[nodiscard]] std::int64_t ThumbnailLevel(const AttentionShape& shape, std::int64_t size);

// Returns the first row that a builder of this shape and size must be given if the weights before
// `row` are those of earlier thumbnails of the layer, which had `before.keys` keys.
[[nodiscard]] std::int64_t FirstRowNeeded(const AttentionShape& shape,
                                          std::int64_t size,
                                          const AttentionShape& before,
                                          std::int64_t row);

class ThumbnailBuilder {
 public:
  ThumbnailBuilder(const AttentionShape& shape, const AttentionRule& rule, std::int64_t size);

  // Call before the first block: takes over the rows before `row` from the thumbnails of a layer
  // whose text began the same; rows from FirstRowNeeded on must be added.
  void Keep(const LayerAttention& before, std::int64_t row);
  // Takes blocks in any order, each row once; skips rows that were kept.
  void Add(const AttentionBlock& block);
  [[nodiscard]] std::vector<Thumbnail> Take();

 private:
  void AddExact(const AttentionBlock& block);
  void AddPooled(const AttentionBlock& block);
  void AddPooledHead(const AttentionBlock& block,
                     std::int64_t head,
                     float* key_sum,
                     float* key_max);
  void KeepExact(const Thumbnail& before, Thumbnail* thumbnail) const;
  void KeepMerged(const Thumbnail& before,
                  std::int64_t level,
                  const std::vector<std::int64_t>& num_visible,
                  Thumbnail* thumbnail) const;
  void TakeRow(std::int64_t head, std::int64_t row);
  // Counts the visible weights in the cells of rows [row_begin, row_end) at a level.
  [[nodiscard]] std::vector<std::int64_t> CountVisible(std::int64_t level,
                                                       std::int64_t row_begin,
                                                       std::int64_t row_end) const;

  AttentionShape shape_;
  AttentionRule rule_;
  std::int64_t level_ = 0;  // cells are 2^level weights a side
  std::int64_t rows_ = 0;
  std::int64_t cols_ = 0;
  std::int64_t first_row_ = 0;             // first row of cells to build: earlier ones are kept
  std::vector<Thumbnail> thumbnails_;      // [H]
  std::vector<double> sum_;                // [H, rows - first row, cols]; pooled only
  std::vector<std::int64_t> num_visible_;  // [rows - first row, cols]
};

}  // namespace headscope
