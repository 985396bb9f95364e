#include "core/attention/thumbnail_builder.h"

#include <algorithm>
#include <utility>

#include "core/base/check.h"
#include "core/compute/float_kernels.h"

namespace headscope {
namespace {

// A side of `length` in proportion to the longer one shrunk to `size`.
std::int64_t Side(std::int64_t length, std::int64_t longer, std::int64_t size) {
  return longer <= size ? length : std::max<std::int64_t>(1, length * size / longer);
}

std::vector<std::int64_t> Edges(std::int64_t length, std::int64_t cells) {
  std::vector<std::int64_t> edges;
  for (std::int64_t cell = 0; cell <= cells; ++cell) {
    edges.push_back(cell * length / std::max<std::int64_t>(cells, 1));
  }
  return edges;
}

std::vector<std::int64_t> CellOf(const std::vector<std::int64_t>& edges) {
  std::vector<std::int64_t> cell_of;
  for (std::size_t cell = 0; cell + 1 < edges.size(); ++cell) {
    cell_of.resize(static_cast<std::size_t>(edges[cell + 1]), static_cast<std::int64_t>(cell));
  }
  return cell_of;
}

}  // namespace

ThumbnailBuilder::ThumbnailBuilder(const AttentionShape& shape,
                                   const AttentionRule& rule,
                                   std::int64_t size)
    : shape_(shape), rule_(rule) {
  HEADSCOPE_CHECK(size >= 1, "a thumbnail has cells");
  const std::int64_t longer = std::max(shape.queries, shape.keys);
  rows_ = Side(shape.queries, longer, size);
  cols_ = Side(shape.keys, longer, size);
  pooled_ = longer > size;
  const auto cells = static_cast<std::size_t>(rows_ * cols_);
  if (!pooled_) {
    const Thumbnail masked{.rows = rows_,
                           .cols = cols_,
                           .pooled = false,
                           .mean = std::vector<float>(cells, kMasked),
                           .max = {}};
    exact_.assign(static_cast<std::size_t>(shape.heads), masked);
    return;
  }
  row_begin_ = Edges(shape.queries, rows_);
  col_begin_ = Edges(shape.keys, cols_);
  row_of_ = CellOf(row_begin_);
  col_of_ = CellOf(col_begin_);
  sum_.resize(static_cast<std::size_t>(shape.heads) * cells);
  max_.resize(static_cast<std::size_t>(shape.heads) * cells);
  CountVisible();
}

void ThumbnailBuilder::CountVisible() {
  num_visible_.resize(static_cast<std::size_t>(rows_ * cols_));
  for (std::int64_t query = 0; query < shape_.queries; ++query) {
    const std::int64_t first = rule_.FirstVisible(query);
    const std::int64_t last = rule_.LastVisible(query, shape_.keys);
    std::int64_t* counts = num_visible_.data() + row_of_[static_cast<std::size_t>(query)] * cols_;
    for (std::int64_t col = 0; col < cols_; ++col) {
      const std::int64_t begin = std::max(first, col_begin_[static_cast<std::size_t>(col)]);
      const std::int64_t end = std::min(last, col_begin_[static_cast<std::size_t>(col) + 1]);
      counts[col] += std::max<std::int64_t>(end - begin, 0);
    }
  }
}

void ThumbnailBuilder::Add(const AttentionBlock& block) {
  if (pooled_) {
    AddPooled(block);
  } else {
    AddExact(block);
  }
}

void ThumbnailBuilder::AddExact(const AttentionBlock& block) {
  const float* weights = block.weights.data();
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    std::vector<float>& mean = exact_[static_cast<std::size_t>(head)].mean;
    for (std::int64_t query = block.query_begin; query < block.query_end; ++query) {
      const std::int64_t first = rule_.FirstVisible(query);
      const std::int64_t last = rule_.LastVisible(query, shape_.keys);
      if (first < last) {
        std::copy(weights + first, weights + last, mean.data() + query * cols_ + first);
      }
      weights += block.keys;
    }
  }
}

// Heads are apart from each other, so that the sums do not depend on the threads.
void ThumbnailBuilder::AddPooled(const AttentionBlock& block) {
#pragma omp parallel default(none) shared(block)
  {
    // Of the rows of one cell.
    std::vector<float> key_sum(static_cast<std::size_t>(shape_.keys));
    std::vector<float> key_max(static_cast<std::size_t>(shape_.keys));
#pragma omp for schedule(static)
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      AddPooledHead(block, head, key_sum.data(), key_max.data());
    }
  }
}

// Rows of one cell first, all keys at once (a loop that runs wide); then the keys of each cell.
// Masked weights are exactly 0 and change neither sum nor maximum.
void ThumbnailBuilder::AddPooledHead(const AttentionBlock& block,
                                     std::int64_t head,
                                     float* key_sum,
                                     float* key_max) {
  const std::int64_t num_queries = block.query_end - block.query_begin;
  const float* weights =
      block.weights.data() + (head - block.head_begin) * num_queries * block.keys;
  for (std::int64_t begin = block.query_begin; begin < block.query_end;) {
    const std::int64_t row = row_of_[static_cast<std::size_t>(begin)];
    const std::int64_t end =
        std::min(block.query_end, row_begin_[static_cast<std::size_t>(row) + 1]);
    const std::int64_t first = rule_.FirstVisible(begin);
    const std::int64_t last = rule_.LastVisible(end - 1, shape_.keys);
    if (first < last) {
      const std::int64_t col_first = col_of_[static_cast<std::size_t>(first)];
      const std::int64_t col_last = col_of_[static_cast<std::size_t>(last - 1)];
      const std::int64_t key_begin = col_begin_[static_cast<std::size_t>(col_first)];
      const std::int64_t key_end = col_begin_[static_cast<std::size_t>(col_last) + 1];
      std::fill(key_sum + key_begin, key_sum + key_end, 0.0F);
      std::fill(key_max + key_begin, key_max + key_end, 0.0F);
      for (std::int64_t query = begin; query < end; ++query) {
        Kernels().gather(weights + (query - block.query_begin) * block.keys + key_begin,
                         key_sum + key_begin,
                         key_max + key_begin,
                         key_end - key_begin);
      }
      double* sum = sum_.data() + (head * rows_ + row) * cols_;
      float* max = max_.data() + (head * rows_ + row) * cols_;
      for (std::int64_t col = col_first; col <= col_last; ++col) {
        for (std::int64_t key = col_begin_[static_cast<std::size_t>(col)];
             key < col_begin_[static_cast<std::size_t>(col) + 1];
             ++key) {
          sum[col] += static_cast<double>(key_sum[key]);
          max[col] = std::max(max[col], key_max[key]);
        }
      }
    }
    begin = end;
  }
}

std::vector<Thumbnail> ThumbnailBuilder::Take() {
  if (!pooled_) {
    return std::move(exact_);
  }
  const auto cells = static_cast<std::size_t>(rows_ * cols_);
  std::vector<Thumbnail> thumbnails;
  for (std::size_t head = 0; head < static_cast<std::size_t>(shape_.heads); ++head) {
    Thumbnail thumbnail{.rows = rows_,
                        .cols = cols_,
                        .pooled = true,
                        .mean = std::vector<float>(cells, kMasked),
                        .max = std::vector<float>(cells, kMasked)};
    for (std::size_t cell = 0; cell < cells; ++cell) {
      if (num_visible_[cell] > 0) {
        thumbnail.mean[cell] =
            static_cast<float>(sum_[head * cells + cell] / static_cast<double>(num_visible_[cell]));
        thumbnail.max[cell] = max_[head * cells + cell];
      }
    }
    thumbnails.push_back(std::move(thumbnail));
  }
  return thumbnails;
}

}  // namespace headscope
