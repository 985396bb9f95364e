#include "app/state/inspect/map_tiles.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace headscope {
namespace {

struct Stretch {
  std::int64_t first = 0;
  std::int64_t last = 0;
};

std::int64_t TilesAt(std::int64_t length, std::int64_t level) {
  return (CellsAt(length, level) + kTileCells - 1) / kTileCells;
}

// Tiles that hold [begin, end) of `length` weights.
Stretch Covering(double begin, double end, std::int64_t length, std::int64_t level) {
  const auto side = static_cast<double>(kTileCells << level);
  const std::int64_t count = TilesAt(length, level);
  const auto first =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(begin / side)), 0, count - 1);
  const auto last =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(end / side)), first + 1, count);
  return {first, last};
}

}  // namespace

bool IsDrawnFromTiles(const LayerAttention& layer) {
  return layer.shape().queries * layer.shape().keys > kMostWholeCells;
}

bool TileRange::Holds(const TileIndex& index) const {
  return index.level == level && index.row >= row_first && index.row < row_last &&
         index.col >= col_first && index.col < col_last;
}

TileRange TilesShown(const AttentionShape& shape, const MapZoom& zoom, const MapSize& size) {
  if (size.width <= 0.0 || size.height <= 0.0) {
    return {};
  }
  const auto queries = static_cast<double>(shape.queries);
  const auto keys = static_cast<double>(shape.keys);
  const ShownPart part = PartShown(zoom, size);
  const double most = std::max(queries * part.down / size.height, keys * part.across / size.width);
  TileRange range;
  // A little more than a whole number of doublings is a rounding error.
  range.level =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(std::ceil(std::log2(most) - 1e-6)));
  const auto covering = [&range](double first, double shown, std::int64_t cells) {
    const auto length = static_cast<double>(cells);
    return Covering(first * length, (first + shown) * length, cells, range.level);
  };
  const Stretch rows = covering(part.first_y, part.down, shape.queries);
  const Stretch cols = covering(part.first_x, part.across, shape.keys);
  range.row_first = rows.first;
  range.row_last = rows.last;
  range.col_first = cols.first;
  range.col_last = cols.last;
  return range;
}

TileRange WithNeighbours(const TileRange& shown, const AttentionShape& shape) {
  TileRange wider = shown;
  wider.row_first = std::max<std::int64_t>(0, shown.row_first - 1);
  wider.col_first = std::max<std::int64_t>(0, shown.col_first - 1);
  wider.row_last = std::min(TilesAt(shape.queries, shown.level), shown.row_last + 1);
  wider.col_last = std::min(TilesAt(shape.keys, shown.level), shown.col_last + 1);
  return wider;
}

std::vector<TileIndex> InOrder(const TileRange& range) {
  std::vector<TileIndex> tiles;
  for (std::int64_t row = range.row_first; row < range.row_last; ++row) {
    for (std::int64_t col = range.col_first; col < range.col_last; ++col) {
      tiles.push_back({range.level, row, col});
    }
  }
  const auto off_centre = [&range](const TileIndex& tile) {
    const std::int64_t down = 2 * tile.row + 1 - range.row_first - range.row_last;
    const std::int64_t across = 2 * tile.col + 1 - range.col_first - range.col_last;
    return down * down + across * across;
  };
  std::stable_sort(tiles.begin(), tiles.end(), [&](const TileIndex& a, const TileIndex& b) {
    return off_centre(a) < off_centre(b);
  });
  return tiles;
}

std::shared_ptr<const MapTile> TileCache::Find(const LayerAttention* layer,
                                               std::int64_t head,
                                               const TileIndex& index) const {
  const auto found = entries_.find({layer, head, index});
  return found == entries_.end() ? nullptr : found->second.tile;
}

void TileCache::Add(std::shared_ptr<const LayerAttention> layer,
                    std::shared_ptr<const MapTile> tile) {
  const Key key{layer.get(), tile->head, tile->index};
  Entry& entry = entries_[key];
  bytes_ += tile->byte_size() - (entry.tile != nullptr ? entry.tile->byte_size() : 0);
  entry = {std::move(layer), std::move(tile), ++uses_};
}

void TileCache::Use(const LayerAttention* layer, std::int64_t head, const TileRange& range) {
  ++uses_;
  for (const TileIndex& index : InOrder(range)) {
    const auto found = entries_.find({layer, head, index});
    if (found != entries_.end()) {
      found->second.used = uses_;
    }
  }
}

void TileCache::ShrinkTo(std::int64_t bytes) {
  while (bytes_ > bytes && !entries_.empty()) {
    const auto oldest =
        std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
          return a.second.used < b.second.used;
        });
    bytes_ -= oldest->second.tile->byte_size();
    entries_.erase(oldest);
  }
}

void TileCache::KeepOnly(const std::vector<std::shared_ptr<const LayerAttention>>& layers) {
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    if (std::find(layers.begin(), layers.end(), entry->second.layer) == layers.end()) {
      bytes_ -= entry->second.tile->byte_size();
      entry = entries_.erase(entry);
    } else {
      ++entry;
    }
  }
}

}  // namespace headscope
