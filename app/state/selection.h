// The one selection that all screens share: head, row, cell, and how far the large map is zoomed.
//
// Units    zoom 1 shows the whole map; center_x, center_y in [0,1] of its keys and queries.
#pragma once

#include <cstdint>
#include <optional>

#include "core/figure/layout.h"
#include "core/heads/head_name.h"

namespace headscope {

struct MapZoom {
  double zoom = 1.0;
  double center_x = 0.5;
  double center_y = 0.5;
  friend bool operator==(const MapZoom&, const MapZoom&) = default;
};

// Of the large map on screen, as it was drawn last, in pixels.
struct MapSize {
  double width = 0.0;
  double height = 0.0;
  friend bool operator==(const MapSize&, const MapSize&) = default;
};

struct Selection {
  HeadIndex head;            // follows the pointer until it is locked; its part is in view
  bool head_locked = false;  // by a click or a key; Esc unlocks
  CellIndex cell;            // under the pointer, or where a click locked it
  bool cell_locked = false;
  std::int64_t row = -1;  // the last row pointed at; stays when the pointer leaves
  // As row, among the tokens that are no queries in this part: an encoder-decoder has two texts.
  std::int64_t other_row = -1;
  MapZoom zoom;
};

// Keeps what is shown inside the map.
[[nodiscard]] MapZoom ClampZoom(MapZoom zoom, double most);
// Zooms by `factor` so that the point (x, y) in [0,1] of the shown part stays where it is.
[[nodiscard]] MapZoom ZoomAbout(MapZoom zoom, double factor, double x, double y, double most);

}  // namespace headscope
