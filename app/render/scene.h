// The layer below ImGui, as data: panel colours, heatmaps and lines, in regions that are redrawn only
// when they change.
//
// Units    window pixels, origin top left.
// Threads  the views make it each frame on the UI thread.
// Cost     comparing a scene with the last one takes a few thousand comparisons; drawing an
//          unchanged one is a single blit.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/figure/color_scale.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"

namespace headscope {

using MapHandle = std::uint64_t;  // 0: none

// One heatmap: the part `source` of a map (in cells, fractions allowed), drawn into `target`. Cells
// are never blurred: if cells are smaller than a pixel, each pixel shows the largest weight of its
// cells. RangeMode::kRow scales each row to its own largest weight and ignores `low` and `high`.
struct MapPlacement {
  MapHandle map = 0;
  Rect target;
  Rect source;  // x, width along keys; y, height along queries; all zero: the whole map
  ColorScale scale;
  bool dimmed = false;  // an older result while the new one is computed
  friend bool operator==(const MapPlacement&, const MapPlacement&) = default;
};

struct FilledRect {
  Rect rect;
  Rgb color;
  friend bool operator==(const FilledRect&, const FilledRect&) = default;
};

struct SceneRegion {
  Rect rect;       // everything below is clipped to it
  Rect maps_clip;  // clips the maps, which may scroll next to labels; all zero: use `rect`
  Rgb background;
  std::vector<FilledRect> fills;   // under the maps
  std::vector<MapPlacement> maps;  // must not overlap; small whole maps at whole pixels are fast
  // Above the maps, clipped to `strokes_clip`. Another list is drawn again, even an equal one: keep it
  // from frame to frame.
  std::shared_ptr<const std::vector<Stroke>> strokes;
  Rect strokes_clip;
  friend bool operator==(const SceneRegion&, const SceneRegion&) = default;
};

struct Scene {
  // Regions do not overlap; the index identifies a region from frame to frame.
  std::vector<SceneRegion> regions;
  Theme theme = Theme::kDark;
};

}  // namespace headscope
