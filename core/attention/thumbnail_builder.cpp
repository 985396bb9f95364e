#include "core/attention/thumbnail_builder.h"

#include <algorithm>
#include <utility>

#include "core/attention/map_tile.h"
#include "core/base/check.h"
#include "core/compute/float_kernels.h"

namespace headscope {
namespace {

constexpr std::int64_t kWorthThreads = 1 << 10;  // cells of a head

// Returns the level of an existing thumbnail.
std::int64_t LevelOf(const Thumbnail& thumbnail, const AttentionShape& shape) {
  std::int64_t level = 0;
  while (CellsAt(shape.keys, level) > thumbnail.cols ||
         CellsAt(shape.queries, level) > thumbnail.rows) {
    ++level;
  }
  return level;
}

}  // namespace

std::int64_t ThumbnailLevel(const AttentionShape& shape, std::int64_t size) {
  std::int64_t level = 0;
  while (CellsAt(std::max(shape.queries, shape.keys), level) > size) {
    ++level;
  }
  return level;
}

std::int64_t FirstRowNeeded(const AttentionShape& shape,
                            std::int64_t size,
                            const AttentionShape& before,
                            std::int64_t row) {
  const std::int64_t level = ThumbnailLevel(shape, size);
  return level < ThumbnailLevel(before, size) ? 0 : row >> level << level;
}

ThumbnailBuilder::ThumbnailBuilder(const AttentionShape& shape,
                                   const AttentionRule& rule,
                                   std::int64_t size)
    : shape_(shape), rule_(rule) {
  HEADSCOPE_CHECK(size >= 1, "a thumbnail has cells");
  level_ = ThumbnailLevel(shape, size);
  rows_ = CellsAt(shape.queries, level_);
  cols_ = CellsAt(shape.keys, level_);
  const auto cells = static_cast<std::size_t>(rows_ * cols_);
  const Thumbnail masked{.rows = rows_,
                         .cols = cols_,
                         .pooled = level_ > 0,
                         .mean = std::vector<float>(cells, kMasked),
                         .max = std::vector<float>(level_ > 0 ? cells : 0, kMasked)};
  thumbnails_.assign(static_cast<std::size_t>(shape.heads), masked);
}

std::vector<std::int64_t> ThumbnailBuilder::CountVisible(std::int64_t level,
                                                         std::int64_t row_begin,
                                                         std::int64_t row_end) const {
  const std::int64_t cols = CellsAt(shape_.keys, level);
  std::vector<std::int64_t> counts(static_cast<std::size_t>((row_end - row_begin) * cols));
  const std::int64_t query_end = std::min(shape_.queries, row_end << level);
  for (std::int64_t query = row_begin << level; query < query_end; ++query) {
    const std::int64_t first = rule_.FirstVisible(query);
    const std::int64_t last = rule_.LastVisible(query, shape_.keys);
    std::int64_t* to = counts.data() + ((query >> level) - row_begin) * cols;
    for (std::int64_t col = first >> level; col << level < last; ++col) {
      const std::int64_t begin = std::max(first, col << level);
      const std::int64_t end = std::min(last, (col + 1) << level);
      to[col] += std::max<std::int64_t>(end - begin, 0);
    }
  }
  return counts;
}

// No cell of the kept rows sees a key that only the longer text has: the columns are the same.
void ThumbnailBuilder::KeepExact(const Thumbnail& before, Thumbnail* thumbnail) const {
  const std::int64_t cols = std::min(before.cols, cols_);
  for (std::int64_t row = 0; row < first_row_; ++row) {
    const std::int64_t from = row * before.cols;
    const std::int64_t to = row * cols_;
    std::copy_n(before.mean.begin() + from, cols, thumbnail->mean.begin() + to);
    if (level_ > 0) {
      std::copy_n(before.max.begin() + from, cols, thumbnail->max.begin() + to);
    }
  }
}

// Several cells of `level` become one of the builder's.
void ThumbnailBuilder::KeepMerged(const Thumbnail& before,
                                  std::int64_t level,
                                  const std::vector<std::int64_t>& num_visible,
                                  Thumbnail* thumbnail) const {
  const std::vector<float>& max = before.max.empty() ? before.mean : before.max;
  const std::int64_t side = std::int64_t{1} << (level_ - level);
  const std::int64_t counted = CellsAt(shape_.keys, level);
  for (std::int64_t row = 0; row < first_row_; ++row) {
    for (std::int64_t col = 0; col < std::min(cols_, CellsAt(before.cols, level_ - level)); ++col) {
      double sum = 0.0;
      std::int64_t count = 0;
      float largest = 0.0F;
      for (std::int64_t i = row * side; i < (row + 1) * side; ++i) {
        for (std::int64_t j = col * side; j < std::min((col + 1) * side, before.cols); ++j) {
          const std::int64_t visible =
              j < counted ? num_visible[static_cast<std::size_t>(i * counted + j)] : 0;
          if (visible > 0) {
            const auto cell = static_cast<std::size_t>(i * before.cols + j);
            sum += static_cast<double>(before.mean[cell]) * static_cast<double>(visible);
            largest = std::max(largest, max[cell]);
            count += visible;
          }
        }
      }
      if (count > 0) {
        const auto to = static_cast<std::size_t>(row * cols_ + col);
        thumbnail->mean[to] = static_cast<float>(sum / static_cast<double>(count));
        thumbnail->max[to] = largest;
      }
    }
  }
}

void ThumbnailBuilder::Keep(const LayerAttention& before, std::int64_t row) {
  const std::int64_t level = LevelOf(before.thumbnail(0), before.shape());
  if (level > level_) {
    return;
  }
  first_row_ = row >> level_;
  const std::vector<std::int64_t> num_visible =
      level == level_ ? std::vector<std::int64_t>()
                      : CountVisible(level, 0, first_row_ << (level_ - level));
  const auto keep = [&](std::int64_t head) {
    Thumbnail* thumbnail = &thumbnails_[static_cast<std::size_t>(head)];
    if (level == level_) {
      KeepExact(before.thumbnail(head), thumbnail);
    } else {
      KeepMerged(before.thumbnail(head), level, num_visible, thumbnail);
    }
  };
  const bool is_worth_threads = first_row_ * cols_ >= kWorthThreads;
#pragma omp parallel for schedule(static) if (is_worth_threads) default(none) shared(keep)
  for (std::int64_t head = 0; head < shape_.heads; ++head) {
    keep(head);
  }
}

void ThumbnailBuilder::Add(const AttentionBlock& block) {
  if (level_ == 0) {
    AddExact(block);
    return;
  }
  if (num_visible_.empty()) {
    num_visible_ = CountVisible(level_, first_row_, rows_);
    sum_.resize(static_cast<std::size_t>(shape_.heads) * num_visible_.size());
  }
  AddPooled(block);
}

void ThumbnailBuilder::AddExact(const AttentionBlock& block) {
  const float* weights = block.weights.data();
  for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
    std::vector<float>& mean = thumbnails_[static_cast<std::size_t>(head)].mean;
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

// Heads are independent, so the sums do not depend on the threads.
void ThumbnailBuilder::AddPooled(const AttentionBlock& block) {
#pragma omp parallel default(none) shared(block)
  {
    // For the rows of one cell.
    std::vector<float> key_sum(static_cast<std::size_t>(shape_.keys));
    std::vector<float> key_max(static_cast<std::size_t>(shape_.keys));
#pragma omp for schedule(static)
    for (std::int64_t head = block.head_begin; head < block.head_end; ++head) {
      AddPooledHead(block, head, key_sum.data(), key_max.data());
    }
  }
}

// First pools the rows of one cell for all keys at once (a loop that vectorises well), then the
// keys of each cell. Masked weights are exactly 0 and change neither sum nor maximum.
void ThumbnailBuilder::AddPooledHead(const AttentionBlock& block,
                                     std::int64_t head,
                                     float* key_sum,
                                     float* key_max) {
  const std::int64_t num_queries = block.query_end - block.query_begin;
  const float* weights =
      block.weights.data() + (head - block.head_begin) * num_queries * block.keys;
  Thumbnail& thumbnail = thumbnails_[static_cast<std::size_t>(head)];
  std::int64_t begin = std::max(block.query_begin, first_row_ << level_);
  while (begin < block.query_end) {
    const std::int64_t row = begin >> level_;
    const std::int64_t end = std::min(block.query_end, (row + 1) << level_);
    const std::int64_t first = rule_.FirstVisible(begin);
    const std::int64_t last = rule_.LastVisible(end - 1, shape_.keys);
    if (first < last) {
      const std::int64_t col_first = first >> level_;
      const std::int64_t col_last = (last - 1) >> level_;
      const std::int64_t key_begin = col_first << level_;
      const std::int64_t key_end = std::min(shape_.keys, (col_last + 1) << level_);
      std::fill(key_sum + key_begin, key_sum + key_end, 0.0F);
      std::fill(key_max + key_begin, key_max + key_end, 0.0F);
      for (std::int64_t query = begin; query < end; ++query) {
        Kernels().gather(weights + (query - block.query_begin) * block.keys + key_begin,
                         key_sum + key_begin,
                         key_max + key_begin,
                         key_end - key_begin);
      }
      double* sum = sum_.data() + (head * (rows_ - first_row_) + row - first_row_) * cols_;
      float* max = thumbnail.max.data() + row * cols_;
      for (std::int64_t col = col_first; col <= col_last; ++col) {
        const std::int64_t keys = std::min(key_end, (col + 1) << level_);
        for (std::int64_t key = col << level_; key < keys; ++key) {
          sum[col] += static_cast<double>(key_sum[key]);
          max[col] = std::max(max[col], key_max[key]);
        }
      }
    }
    begin = end;
  }
}

void ThumbnailBuilder::TakeRow(std::int64_t head, std::int64_t row) {
  Thumbnail& thumbnail = thumbnails_[static_cast<std::size_t>(head)];
  const double* sum = sum_.data() + (head * (rows_ - first_row_) + row - first_row_) * cols_;
  const std::int64_t* count = num_visible_.data() + (row - first_row_) * cols_;
  for (std::int64_t col = 0; col < cols_; ++col) {
    const auto cell = static_cast<std::size_t>(row * cols_ + col);
    if (count[col] > 0) {
      thumbnail.mean[cell] = static_cast<float>(sum[col] / static_cast<double>(count[col]));
    } else {
      thumbnail.max[cell] = kMasked;
    }
  }
}

std::vector<Thumbnail> ThumbnailBuilder::Take() {
  if (!sum_.empty()) {
    for (std::int64_t head = 0; head < shape_.heads; ++head) {
      for (std::int64_t row = first_row_; row < rows_; ++row) {
        TakeRow(head, row);
      }
    }
  }
  return std::move(thumbnails_);
}

}  // namespace headscope
