#include "app/views/maps/big_map.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <imgui.h>

#include "app/state/inspect/cell_words.h"
#include "app/state/queries.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/sink_column.h"

namespace headscope {
namespace {

Type TypeOf(CellLine::Kind kind) {
  constexpr std::array kTypes = {
      Type::kBold, Type::kMono, Type::kMono, Type::kBody, Type::kSmall};  // in the order of kinds
  return kTypes.at(static_cast<std::size_t>(kind));
}

}  // namespace

void DrawCellLines(const Ui& ui, const std::vector<CellLine>& lines) {
  float width = 0.0F;
  float height = 0.0F;
  for (const CellLine& line : lines) {
    const Type type = TypeOf(line.kind);
    width = std::max(
        width, type == Type::kMono ? NumberWidth(ui, line.text) : TextWidth(ui, line.text, type));
    height += LineHeight(ui, type);
  }
  ImGui::BeginTooltip();
  ImGui::Dummy({width, height});
  const ImVec2 at = ImGui::GetItemRectMin();
  float y = at.y;
  for (const CellLine& line : lines) {
    const Type type = TypeOf(line.kind);
    const bool strong = line.kind == CellLine::Kind::kTitle || line.kind == CellLine::Kind::kNumber;
    const Rgb color = strong ? ui.colors().text : ui.colors().muted;
    if (type == Type::kMono) {
      DrawNumber(ui, at.x, y, line.text, color);
    } else {
      DrawText(ui, at.x, y, line.text, type, color);
    }
    y += LineHeight(ui, type);
  }
  ImGui::EndTooltip();
}

namespace {

void DrawCellTooltip(const Ui& ui, const BigMap& map, CellIndex cell) {
  DrawCellLines(ui,
                LinesOfCell({.query_tokens = *map.query_tokens,
                             .key_tokens = *map.key_tokens,
                             .map = map.map,
                             .row = map.row,
                             .query = map.query,
                             .cell = map.cell},
                            cell));
}

MapPoint PointOf(CellIndex cell) {
  return {.query = cell.query, .key = cell.key};
}

// A locked cell is told wherever the pointer is, of a locked row the key under the pointer.
CellIndex LockedCell(const BigMap& map, CellIndex under_pointer) {
  if (!map.point) {
    return under_pointer;
  }
  return {.query = map.point->query, .key = map.point->key.value_or(under_pointer.key)};
}

void HandlePointer(Ui* ui, const MapGeometry& geometry, const BigMap& map) {
  const ImGuiIO& io = ImGui::GetIO();
  const Rect& target = geometry.target;
  ViewMemory& memory = *ui->memory;
  const Selection& selection = ui->state.selection;
  const Pressed area = Area(ui, "map", target, "");
  const bool active = ImGui::IsItemActive();
  memory.map_rect = target;
  if (active && ImGui::IsMouseDragging(0, 3.0F)) {
    memory.map_dragged = true;
    ui->Do(PanMap{-static_cast<double>(io.MouseDelta.x / geometry.whole.width),
                  -static_cast<double>(io.MouseDelta.y / geometry.whole.height)});
  }
  const std::optional<CellIndex> cell =
      geometry.At(static_cast<double>(io.MousePos.x), static_cast<double>(io.MousePos.y));
  if (area.clicked && !memory.map_dragged && cell) {
    ui->Do(ClickCell{PointOf(*cell)});
  }
  if (!active) {
    memory.map_dragged = false;
  }
  if (!area.hovered || !cell) {
    return;
  }
  PointAt(ui, PointOf(*cell));
  ZoomByPointer(ui, geometry);
  if (!active) {
    DrawCellTooltip(*ui, map, selection.point_locked ? LockedCell(map, *cell) : *cell);
  }
}

}  // namespace

void DrawCrossHair(const Ui& ui, const MapGeometry& geometry, const MapPoint& point) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Rect& target = geometry.target;
  // White on a dark shadow: seen on every colour of the map and on masked cells of either theme.
  const std::uint32_t white = ToImGui({255, 255, 255}, 0.9F);
  const std::uint32_t shadow = ToImGui({0, 0, 0}, 0.4F);
  const float thick = std::max(1.0F, ui.scale);
  list->PushClipRect(
      {target.x, target.y}, {target.x + target.width, target.y + target.height}, true);
  const auto horizontal = [&](double y) {
    const float at = std::round(static_cast<float>(y));
    list->AddRectFilled(
        {target.x, at + thick}, {target.x + target.width, at + 2.0F * thick}, shadow);
    list->AddRectFilled({target.x, at}, {target.x + target.width, at + thick}, white);
  };
  const auto vertical = [&](double x) {
    const float at = std::round(static_cast<float>(x));
    list->AddRectFilled(
        {at + thick, target.y}, {at + 2.0F * thick, target.y + target.height}, shadow);
    list->AddRectFilled({at, target.y}, {at + thick, target.y + target.height}, white);
  };
  horizontal(geometry.QueryY(point.query));
  if (geometry.cell_height() > 4.0) {
    horizontal(geometry.QueryY(point.query + 1));
  }
  if (point.key) {
    vertical(geometry.KeyX(*point.key));
    if (geometry.cell_width() > 4.0) {
      vertical(geometry.KeyX(*point.key + 1));
    }
  }
  list->PopClipRect();
}

void ZoomByPointer(Ui* ui, const MapGeometry& geometry) {
  const ImGuiIO& io = ImGui::GetIO();
  const Rect& target = geometry.target;
  if (io.MouseWheel != 0.0F) {
    ui->Do(ZoomMap{std::pow(1.25, static_cast<double>(io.MouseWheel)),
                   static_cast<double>((io.MousePos.x - target.x) / geometry.whole.width),
                   static_cast<double>((io.MousePos.y - target.y) / geometry.whole.height)});
  }
  if (ImGui::IsMouseDoubleClicked(0)) {
    ui->Do(ResetZoom);
  }
}

MapGeometry DrawBigMap(Ui* ui, const MapSpace& space, const BigMap& map) {
  AxisRoom room = RoomForLabels(*ui, map);
  const float sink = RoomForSink(*ui, map.map);
  room.right = std::max(room.right, sink);
  const auto inner = [&](const Rect& rect, float right) {
    return Rect{rect.x + room.left,
                rect.y + room.top,
                std::max(ui->Px(80.0F), rect.width - room.left - right),
                std::max(ui->Px(80.0F), rect.height - room.top)};
  };
  // Labels of a zoomed map are cut off where it ends.
  const MapGeometry geometry = PlaceMap({inner(space.whole, room.right), inner(space.zoomed, sink)},
                                        map.map.queries(),
                                        map.map.keys(),
                                        ui->state.selection.zoom);
  if (geometry.size != ui->state.maps.size) {
    ui->Do(MapDrawn{geometry.size});
  }
  if (map.tiles != nullptr) {
    std::vector<MapPlacement>& maps = ui->region(Panel::kDetail).maps;
    ui->region(Panel::kDetail).fills.push_back({geometry.target, ui->colors().raised});
    std::ranges::move(PlaceTiles(*ui, *map.tiles, geometry), std::back_inserter(maps));
  } else if (map.handle != 0) {
    MapPlacement placement;
    placement.map = map.handle;
    placement.target = geometry.target;
    placement.source = geometry.Source();
    placement.scale = map.scale;
    placement.dimmed = map.dimmed;
    const float rows = static_cast<float>(map.handle_rows) / static_cast<float>(map.map.queries());
    const float cols = static_cast<float>(map.handle_cols) / static_cast<float>(map.map.keys());
    placement.source.x *= cols;
    placement.source.width *= cols;
    placement.source.y *= rows;
    placement.source.height *= rows;
    ui->region(Panel::kDetail).maps.push_back(placement);
  } else {
    ui->region(Panel::kDetail).fills.push_back({geometry.target, ui->colors().raised});
  }
  DrawAxisLabels(*ui, geometry, map);
  DrawSinkColumn(ui, geometry, map.map, map.scale, map.dimmed);
  ui->memory->row_marks = MarksOfRow(geometry, map.query, ui->Px(4.0F));
  if (const auto& marks = ui->memory->row_marks) {
    FillRect(*ui, marks->left, ui->colors().accent, 1.0F);
    FillRect(*ui, marks->right, ui->colors().accent, 1.0F);
  }
  if (map.point) {
    DrawCrossHair(*ui, geometry, *map.point);
  }
  HandlePointer(ui, geometry, map);
  return geometry;
}

}  // namespace headscope
