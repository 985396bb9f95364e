// Maps too large to be made whole: which pieces of one the screen needs, and those that are there.
//
// Units    sizes on screen in window pixels; tiles as in core/attention/map_tile.h.
// Threads  UI thread; plain values.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "app/state/inspect/selection.h"
#include "core/attention/map_tile.h"

namespace headscope {

// Larger maps are drawn from tiles; up to this size one copy of the whole map is small and exact at
// any zoom.
inline constexpr std::int64_t kMostWholeCells = std::int64_t{1} << 20;
[[nodiscard]] bool IsDrawnFromTiles(const LayerAttention& layer);

// The tiles of one level in rows [row_first, row_last) and columns [col_first, col_last).
struct TileRange {
  std::int64_t level = 0;
  std::int64_t row_first = 0;
  std::int64_t row_last = 0;
  std::int64_t col_first = 0;
  std::int64_t col_last = 0;

  [[nodiscard]] bool Holds(const TileIndex& index) const;
  friend bool operator==(const TileRange&, const TileRange&) = default;
};

// What shows the zoom's part of the map on `size`: the finest level that gives no cell less than a
// pixel. Nothing while the size is not known.
[[nodiscard]] TileRange TilesShown(const AttentionShape& shape,
                                   const MapZoom& zoom,
                                   const MapSize& size);

// What lies around it too, so that a map that is moved finds its next tiles made.
[[nodiscard]] TileRange WithNeighbours(const TileRange& shown, const AttentionShape& shape);

// The tiles of a range, those nearest to the middle first.
[[nodiscard]] std::vector<TileIndex> InOrder(const TileRange& range);

class TileCache {
 public:
  // Null: not there.
  [[nodiscard]] std::shared_ptr<const MapTile> Find(const LayerAttention* layer,
                                                    std::int64_t head,
                                                    const TileIndex& index) const;
  void Add(std::shared_ptr<const LayerAttention> layer, std::shared_ptr<const MapTile> tile);
  // Marks tiles as used now: those used least recently go first.
  void Use(const LayerAttention* layer, std::int64_t head, const TileRange& range);
  void ShrinkTo(std::int64_t bytes);
  void KeepOnly(const std::vector<std::shared_ptr<const LayerAttention>>& layers);

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  using Key = std::tuple<const LayerAttention*, std::int64_t, TileIndex>;
  struct Entry {
    std::shared_ptr<const LayerAttention> layer;  // so that its address is not used again
    std::shared_ptr<const MapTile> tile;
    std::int64_t used = 0;
  };
  std::map<Key, Entry> entries_;
  std::int64_t bytes_ = 0;
  std::int64_t uses_ = 0;
};

}  // namespace headscope
