// The one selection that all screens share: head, row, cell, and how far the large map is zoomed.
//
// Units    zoom 1 shows the whole map; center_x, center_y in [0,1] of its keys and queries: what
//          stands in the middle of the place that the whole map has without zoom.
#pragma once

#include <cstdint>
#include <optional>

#include "core/figure/layout.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct MapZoom {
  double zoom = 1.0;
  double center_x = 0.5;
  double center_y = 0.5;
  friend bool operator==(const MapZoom&, const MapZoom&) = default;
};

// The size of the large map on screen, as it was drawn last, in pixels; and the room that a zoomed
// one may take to the right and down, in whole maps without zoom.
struct MapSize {
  double width = 0.0;
  double height = 0.0;
  double across = 1.0;
  double down = 1.0;
  friend bool operator==(const MapSize&, const MapSize&) = default;
};

// A row of a map or, with a key, one cell of it. A row is no cell: whoever needs a cell asks for
// one.
struct MapPoint {
  std::int64_t query = 0;
  std::optional<std::int64_t> key = {};

  [[nodiscard]] std::optional<CellIndex> cell() const {
    return key ? std::optional(CellIndex{.query = query, .key = *key}) : std::nullopt;
  }
  friend bool operator==(const MapPoint&, const MapPoint&) = default;
};
// The point if it lies in a map of that size; else none.
[[nodiscard]] std::optional<MapPoint> Within(const std::optional<MapPoint>& point,
                                             std::int64_t queries,
                                             std::int64_t keys);

// While a map is in view, every index lies within it: the reducer sees to that after each action.
struct Selection {
  HeadIndex head;                 // follows the pointer until it is locked; its part is in view
  bool head_locked = false;       // by a click or a key; Esc unlocks
  std::optional<MapPoint> point;  // under the pointer, or where a click locked it
  bool point_locked = false;
  std::optional<std::int64_t> row;  // the last row pointed at; stays when the pointer leaves
  // The same among the tokens that are no queries in this part: an encoder-decoder has two texts.
  std::optional<std::int64_t> other_row;
  MapZoom zoom;
};

// What is shown of the map along each side, of 1: as much as there is room for.
struct ShownPart {
  double first_x = 0.0;
  double first_y = 0.0;
  double across = 1.0;
  double down = 1.0;
};
[[nodiscard]] ShownPart PartShown(const MapZoom& zoom, const MapSize& size);

// Keeps what is shown inside the map.
[[nodiscard]] MapZoom ClampZoom(MapZoom zoom, double most);
// Zooms by `factor` so that the point (x, y), [0,1] in the place of the whole map, stays where it
// is.
[[nodiscard]] MapZoom ZoomAbout(MapZoom zoom, double factor, double x, double y, double most);
// Moves by (x, y) of that place; no further than to where the map's end fills the room, or stands
// already.
[[nodiscard]] MapZoom Panned(MapZoom zoom, double x, double y, double most, const MapSize& size);

}  // namespace headscope
