#include "app/views/maps/tiled_map.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/views/maps/map_textures.h"
#include "core/attention/thumbnail_builder.h"

namespace headscope {
namespace {

// Levels looked through for something coarser before the thumbnail is taken.
constexpr std::int64_t kCoarserLevels = 6;

// Part of the map, in weights.
struct Part {
  double first_query = 0.0;
  double last_query = 0.0;
  double first_key = 0.0;
  double last_key = 0.0;
};

class TilePlacer {
 public:
  TilePlacer(const Ui& ui, const TiledMap& map, const MapGeometry& geometry)
      : ui_(ui), map_(map), geometry_(geometry) {}

  std::vector<MapPlacement> Place() {
    const TileRange shown =
        TilesShown(map_.map.layer->shape(), ui_.state.selection.zoom, ui_.state.maps.size);
    for (const TileIndex& index : InOrder(shown)) {
      PlaceTile(index);
    }
    return std::move(placed_);
  }

 private:
  [[nodiscard]] Part PartOf(const TileIndex& index) const {
    const auto side = static_cast<double>(kTileCells << index.level);
    const auto row = static_cast<double>(index.row);
    const auto col = static_cast<double>(index.col);
    return {std::max(row * side, geometry_.first_query),
            std::min({(row + 1.0) * side,
                      geometry_.first_query + geometry_.shown_queries,
                      static_cast<double>(geometry_.queries)}),
            std::max(col * side, geometry_.first_key),
            std::min({(col + 1.0) * side,
                      geometry_.first_key + geometry_.shown_keys,
                      static_cast<double>(geometry_.keys)})};
  }

  void PlaceTile(const TileIndex& index) {
    const Part part = PartOf(index);
    if (part.first_query >= part.last_query || part.first_key >= part.last_key) {
      return;
    }
    for (std::int64_t up = 0; up <= kCoarserLevels; ++up) {
      const TileIndex coarser{index.level + up, index.row >> up, index.col >> up};
      const auto tile = ui_.state.maps.tiles.Find(map_.map.layer.get(), map_.map.head, coarser);
      const MapHandle handle =
          tile == nullptr ? 0 : ui_.maps->Tile(tile, ui_.state.settings.pooling, map_.scale);
      if (handle != 0) {
        MapPlacement& placed =
            Add(handle, part, coarser, 1.0 / static_cast<double>(1LL << coarser.level));
        if (map_.scale.range == RangeMode::kRow) {
          placed.scale = MapTextures::ScaleOfRows(map_.scale);
        }
        return;
      }
    }
    const MapHandle handle = ui_.maps->Thumbnail(map_.map, ui_.state.settings.pooling);
    if (handle != 0) {
      const std::int64_t level = ThumbnailLevel(map_.map.layer->shape(), kThumbnailSize);
      Add(handle, part, {}, 1.0 / static_cast<double>(std::int64_t{1} << level));
    }
  }

  // `shrink`: cells of the tile for each weight along a side.
  MapPlacement& Add(MapHandle handle, const Part& part, const TileIndex& tile, double shrink) {
    const auto side = static_cast<double>(kTileCells << tile.level);
    const auto x = [&](double key) {
      return static_cast<float>(static_cast<double>(geometry_.target.x) +
                                (key - geometry_.first_key) * geometry_.cell_width());
    };
    const auto y = [&](double query) {
      return static_cast<float>(static_cast<double>(geometry_.target.y) +
                                (query - geometry_.first_query) * geometry_.cell_height());
    };
    MapPlacement& placed = placed_.emplace_back();
    placed.map = handle;
    placed.target.x = x(part.first_key);
    placed.target.y = y(part.first_query);
    placed.target.width = x(part.last_key) - placed.target.x;
    placed.target.height = y(part.last_query) - placed.target.y;
    placed.source = {
        static_cast<float>((part.first_key - static_cast<double>(tile.col) * side) * shrink),
        static_cast<float>((part.first_query - static_cast<double>(tile.row) * side) * shrink),
        static_cast<float>((part.last_key - part.first_key) * shrink),
        static_cast<float>((part.last_query - part.first_query) * shrink)};
    placed.scale = map_.scale;
    placed.dimmed = map_.dimmed;
    return placed;
  }

  const Ui& ui_;
  const TiledMap& map_;
  const MapGeometry& geometry_;
  std::vector<MapPlacement> placed_;
};

}  // namespace

std::vector<MapPlacement> PlaceTiles(const Ui& ui,
                                     const TiledMap& map,
                                     const MapGeometry& geometry) {
  return TilePlacer(ui, map, geometry).Place();
}

std::string TilesNote(const Ui& ui, const TiledMap& map) {
  const TileRange shown =
      TilesShown(map.map.layer->shape(), ui.state.selection.zoom, ui.state.maps.size);
  for (const TileIndex& index : InOrder(shown)) {
    if (ui.state.maps.tiles.Find(map.map.layer.get(), map.map.head, index) == nullptr) {
      return "coarser where it is still being made; the numbers are exact";
    }
  }
  if (shown.level == 0) {
    return "each cell shown is one weight";
  }
  const std::int64_t side = std::int64_t{1} << shown.level;
  return fmt::format(
      "pooled: each cell shown is the {0} of up to {1} × {1} visible weights; the "
      "numbers are exact",
      ui.state.settings.pooling == Pooling::kMax ? "largest" : "mean",
      side);
}

}  // namespace headscope
