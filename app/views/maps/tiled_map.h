// A large map drawn from its tiles, with the nearest coarser ones (in the end the thumbnail) where
// they are still being made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/views/kit/ui.h"
#include "app/views/maps/map_geometry.h"

namespace headscope {

struct TiledMap {
  MapView map;
  ColorScale scale;
  bool dimmed = false;
};

// Every cell of the shown part once.
[[nodiscard]] std::vector<MapPlacement> PlaceTiles(const Ui& ui,
                                                   const TiledMap& map,
                                                   const MapGeometry& geometry);

// What one cell on screen stands for: "each cell shown is the mean of 16 × 16 weights; ...".
[[nodiscard]] std::string TilesNote(const Ui& ui, const TiledMap& map);

}  // namespace headscope
