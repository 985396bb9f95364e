// What lies under the ImGui layer, as data: panel colours and heatmaps, in regions that are redrawn
// only when they change.
//
// Units    window pixels, origin top left.
// Threads  plain values, made by the views each frame on the UI thread.
// Cost     comparing a scene with the last one is a few thousand compares; drawing an unchanged one
//          is a single blit.
#pragma once

#include <cstdint>
#include <vector>

#include "core/figure/color_scale.h"

namespace headscope {

struct Rect {
  float x = 0.0F;
  float y = 0.0F;
  float width = 0.0F;
  float height = 0.0F;
  friend bool operator==(const Rect&, const Rect&) = default;
};

using MapHandle = std::uint64_t;  // 0: none

// One heatmap: the part `source` (in cells, fractions allowed) of a map, drawn into `target`, cells
// never blurred: at less than a pixel per cell each pixel has the largest weight of the cells under
// it. RangeMode::kRow scales each row to its own largest weight; `low` and `high` are not read
// then.
struct MapPlacement {
  MapHandle map = 0;
  Rect target;
  Rect source;  // x, width along keys; y, height along queries; all zero: the whole map
  ColorScale scale;
  bool dimmed = false;  // an older result, while the new one is computed
  friend bool operator==(const MapPlacement&, const MapPlacement&) = default;
};

struct FilledRect {
  Rect rect;
  Rgb color;
  friend bool operator==(const FilledRect&, const FilledRect&) = default;
};

struct SceneRegion {
  Rect rect;       // everything below is clipped to it
  Rect maps_clip;  // and maps to this, where they scroll beside labels; all zero: to `rect`
  Rgb background;
  std::vector<FilledRect> fills;   // under the maps
  std::vector<MapPlacement> maps;  // not over each other; small whole maps at whole pixels are fast
  friend bool operator==(const SceneRegion&, const SceneRegion&) = default;
};

struct Scene {
  // They do not overlap; the index identifies a region from frame to frame.
  std::vector<SceneRegion> regions;
  Theme theme = Theme::kDark;
};

}  // namespace headscope
