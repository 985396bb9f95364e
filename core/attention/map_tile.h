// A square piece of one head's map at one level of detail: a cell of level l stands for 2^l x 2^l
// weights. The visible part of a long text's map is made of tiles; the whole map never is.
//
// Shapes   [rows, cols], kTileCells a side except at the map's end. Tile (row, col) of level l
//          begins at query row * kTileCells * 2^l and key col * kTileCells * 2^l.
// Units    weights; cells as in a thumbnail: mean and largest of the visible weights, kMasked if
//          none is visible. Made from the stored row maxima and sums: within 1e-5 of the exact row.
// Errors   kCancelled.
// Threads  any but the drawing one; rows go to OpenMP's threads.
// Cost     one product of the covered queries and keys, and one exp per visible weight.
#pragma once

#include <compare>
#include <cstdint>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"

namespace headscope {

inline constexpr std::int64_t kTileCells = 256;

struct TileIndex {
  std::int64_t level = 0;
  std::int64_t row = 0;
  std::int64_t col = 0;
  friend auto operator<=>(const TileIndex&, const TileIndex&) = default;
};

struct MapTile {
  TileIndex index;
  std::int64_t head = 0;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::vector<float> mean = {};  // the weights themselves at level 0
  std::vector<float> max = {};   // empty at level 0
  // Over the whole rows that each row of cells stands for, not only the part within the tile.
  std::vector<float> row_largest = {};  // [rows]

  [[nodiscard]] std::int64_t byte_size() const {
    return static_cast<std::int64_t>((mean.size() + max.size() + row_largest.size()) *
                                     sizeof(float));
  }
};

// Returns the number of cells for a side of `length` weights at a level.
[[nodiscard]] std::int64_t CellsAt(std::int64_t length, std::int64_t level);

// `index` must lie within the map.
[[nodiscard]] Result<MapTile> MakeTile(const LayerAttention& layer,
                                       std::int64_t head,
                                       TileIndex index,
                                       const std::stop_token& stop);

}  // namespace headscope
