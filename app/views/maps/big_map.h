// One map in full: tokens on both axes, cross-hair, zoom, pan, and the words under the pointer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/state/inspect/cell_words.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/ui.h"
#include "app/views/maps/map_geometry.h"
#include "app/views/maps/tiled_map.h"

namespace headscope {

struct BigMap {
  MapView map;
  const TiledMap* tiles = nullptr;  // drawn in place of `handle`
  MapHandle handle = 0;
  std::int64_t handle_rows = 0;  // fewer than queries while only the thumbnail is there
  std::int64_t handle_cols = 0;
  const Encoding* query_tokens = nullptr;
  const Encoding* key_tokens = nullptr;  // the same, but for cross-attention
  ColorScale scale;
  bool dimmed = false;
  std::span<const float> row;  // weights of the selected row, exact
  std::int64_t query = 0;      // of `row`
  std::string_view cell = kPlainCell;
  // What is pointed at or locked, where it lies in this map.
  std::optional<MapPoint> point;
};

// Room that the labels take around the map.
struct AxisRoom {
  float left = 0.0F;
  float top = 0.0F;
  float right = 0.0F;
};
[[nodiscard]] AxisRoom RoomForLabels(const Ui& ui, const BigMap& map);

// A token's name as labels show it (TokenLabel), quick for a text that is known; and no wider than a
// label may be.
[[nodiscard]] std::string AxisName(const Ui& ui, const Encoding& encoding, std::int64_t index);
[[nodiscard]] LabelTexture AxisLabel(const Ui& ui, const Encoding& encoding, std::int64_t index);
// The widest name of a token; of a long text, of its longest tokens.
[[nodiscard]] float LongestLabel(const Ui& ui, const Encoding& encoding);

// Before the labels of a text are drawn: keeps what they need to know of it.
void KnowTokens(Ui* ui, const std::shared_ptr<const Encoding>& encoding);

// A label over a column, from the middle of its top at (x, y).
void DrawSlanted(float x, float y, const LabelTexture& label, Rgb color);

void DrawAxisLabels(const Ui& ui, const MapGeometry& geometry, const BigMap& map);

// Lines around the pointed row, and around the cell where there is one.
void DrawCrossHair(const Ui& ui, const MapGeometry& geometry, const MapPoint& point);

// While the pointer is on a map: the wheel zooms around it, a double click shows the whole again.
void ZoomByPointer(Ui* ui, const MapGeometry& geometry);

// Draws into `space`, labels included; returns where the map stands.
MapGeometry DrawBigMap(Ui* ui, const MapSpace& space, const BigMap& map);

// A tooltip whose texts may be of any script.
void DrawCellLines(const Ui& ui, const std::vector<CellLine>& lines);

// The bar of colours with its ends, what the masked colour is, and the words for curve and range.
// `ink`: the bar is of lines in that colour, as opaque as their weights are high.
void DrawColourBar(Pen* pen,
                   const ColorScale& scale,
                   bool has_masked,
                   const std::optional<Rgb>& ink = {});

}  // namespace headscope
