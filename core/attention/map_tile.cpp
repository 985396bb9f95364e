#include "core/attention/map_tile.h"

#include <algorithm>
#include <span>

#include "core/attention/stored_weights.h"
#include "core/base/check.h"
#include "core/base/stop.h"
#include "core/base/thread_role.h"

namespace headscope {
namespace {

// A block of weights is pooled while it is in the cache.
constexpr std::int64_t kKeysAtOnce = 2048;
constexpr std::int64_t kQueriesAtOnce = 16;

class TileMaker {
 public:
  TileMaker(const LayerAttention& layer, MapTile* tile)
      : layer_(layer), weights_(layer, tile->head), tile_(*tile), level_(tile->index.level) {
    first_query_ = (tile->index.row * kTileCells) << level_;
    first_key_ = (tile->index.col * kTileCells) << level_;
    end_query_ = std::min(layer.shape().queries, first_query_ + (kTileCells << level_));
    end_key_ = std::min(layer.shape().keys, first_key_ + (kTileCells << level_));
  }

  // The rows of cells that one thread makes at a time.
  [[nodiscard]] std::int64_t RowsAtOnce() const {
    return std::max<std::int64_t>(1, kQueriesAtOnce >> level_);
  }

  void MakeRows(std::int64_t begin, std::int64_t end) const {
    const std::int64_t query_begin = first_query_ + (begin << level_);
    const std::int64_t query_end = std::min(end_query_, first_query_ + (end << level_));
    const std::int64_t step = std::max(kKeysAtOnce, std::int64_t{1} << level_);
    std::vector<float> block;
    for (std::int64_t key = first_key_; key < end_key_; key += step) {
      const WeightBlock at{.query_begin = query_begin,
                           .query_end = query_end,
                           .key_begin = key,
                           .key_end = std::min(end_key_, key + step)};
      block.resize(static_cast<std::size_t>(at.num_queries() * at.num_keys()));
      weights_.Make(at, block);
      if (level_ == 0) {
        Copy(at, block);
      } else {
        Pool(at, block);
      }
    }
    for (std::int64_t query = query_begin; query < query_end; ++query) {
      float& largest = tile_.row_largest[Row(query)];
      largest = std::max(largest, weights_.LargestOfRow(query));
    }
  }

 private:
  [[nodiscard]] std::size_t Row(std::int64_t query) const {
    return static_cast<std::size_t>((query - first_query_) >> level_);
  }

  struct Keys {
    std::int64_t first = 0;
    std::int64_t last = 0;
  };
  [[nodiscard]] Keys VisibleIn(const WeightBlock& at, std::int64_t query) const {
    const std::int64_t first = std::max(at.key_begin, layer_.rule().FirstVisible(query));
    const std::int64_t last =
        std::min(at.key_end, layer_.rule().LastVisible(query, layer_.shape().keys));
    return {first, std::max(first, last)};
  }

  void Copy(const WeightBlock& at, std::span<const float> block) const {
    for (std::int64_t query = at.query_begin; query < at.query_end; ++query) {
      const auto [first, last] = VisibleIn(at, query);
      const float* from = block.data() + (query - at.query_begin) * at.num_keys() - at.key_begin;
      float* to = tile_.mean.data() + (query - first_query_) * tile_.cols - first_key_;
      std::copy(from + first, from + last, to + first);
    }
  }

  // Blocks begin and end with whole cells.
  void Pool(const WeightBlock& at, std::span<const float> block) const {
    const std::int64_t side = std::int64_t{1} << level_;
    for (std::int64_t top = at.query_begin; top < at.query_end; top += side) {
      const std::int64_t bottom = std::min(at.query_end, top + side);
      for (std::int64_t left = at.key_begin; left < at.key_end; left += side) {
        PoolCell(at, block, {top, bottom, left, std::min(at.key_end, left + side)});
      }
    }
  }

  void PoolCell(const WeightBlock& at,
                std::span<const float> block,
                const WeightBlock& cell) const {
    float sum = 0.0F;
    float largest = 0.0F;
    std::int64_t visible = 0;
    for (std::int64_t query = cell.query_begin; query < cell.query_end; ++query) {
      // Not a structured binding: clang does not allow one inside an OpenMP loop.
      const Keys seen = VisibleIn(cell, query);
      const std::int64_t first = seen.first;
      const std::int64_t last = seen.last;
      const float* row = block.data() + (query - at.query_begin) * at.num_keys() - at.key_begin;
      float part = 0.0F;
#pragma omp simd reduction(+ : part) reduction(max : largest)
      for (std::int64_t key = first; key < last; ++key) {
        part += row[key];
        largest = row[key] > largest ? row[key] : largest;
      }
      sum += part;
      visible += last - first;
    }
    if (visible > 0) {
      const auto to = Row(cell.query_begin) * static_cast<std::size_t>(tile_.cols) +
                      static_cast<std::size_t>((cell.key_begin - first_key_) >> level_);
      tile_.mean[to] = sum / static_cast<float>(visible);
      tile_.max[to] = largest;
    }
  }

  const LayerAttention& layer_;
  StoredWeights weights_;
  MapTile& tile_;
  std::int64_t level_;
  std::int64_t first_query_ = 0;
  std::int64_t end_query_ = 0;
  std::int64_t first_key_ = 0;
  std::int64_t end_key_ = 0;
};

}  // namespace

std::int64_t CellsAt(std::int64_t length, std::int64_t level) {
  return (length + (std::int64_t{1} << level) - 1) >> level;
}

Result<MapTile> MakeTile(const LayerAttention& layer,
                         std::int64_t head,
                         TileIndex index,
                         const std::stop_token& stop) {
  CheckNotDrawing("making a tile of a map");
  const AttentionShape& shape = layer.shape();
  const auto cells = [&](std::int64_t length, std::int64_t tile) {
    return std::min(kTileCells, CellsAt(length, index.level) - tile * kTileCells);
  };
  MapTile tile{.index = index,
               .head = head,
               .rows = cells(shape.queries, index.row),
               .cols = cells(shape.keys, index.col)};
  HEADSCOPE_CHECK(head >= 0 && head < shape.heads && index.level >= 0 && index.row >= 0 &&
                      index.col >= 0 && tile.rows > 0 && tile.cols > 0,
                  "the tile lies within the map");
  const auto count = static_cast<std::size_t>(tile.rows * tile.cols);
  tile.mean.assign(count, kMasked);
  tile.max.assign(index.level > 0 ? count : 0, kMasked);
  tile.row_largest.assign(static_cast<std::size_t>(tile.rows), 0.0F);
  const TileMaker maker(layer, &tile);
  const std::int64_t step = maker.RowsAtOnce();
#pragma omp parallel for schedule(dynamic) default(none) shared(maker, tile, step, stop)
  for (std::int64_t row = 0; row < tile.rows; row += step) {
    if (!stop.stop_requested()) {
      maker.MakeRows(row, std::min(tile.rows, row + step));
    }
  }
  HEADSCOPE_TRY(CheckStop(stop));
  return tile;
}

}  // namespace headscope
