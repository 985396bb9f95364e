// What the pointer does on the maps of a pair, and what it is told of the cell under it.
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/inspect/cell_words.h"
#include "app/views/compare/panels.h"
#include "app/views/kit/tooltip_place.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"

namespace headscope {
namespace {

std::string CellText(float weight) {
  return weight < 0.0F ? "masked" : WeightText(weight);
}

// Both weights and the difference, exact.
std::string WordsOfPlace(const AppState& state, const CompareDrawing& drawing, CellIndex cell) {
  const ComparedPair& pair = *drawing.pair;
  const UnionPlace& query = pair.queries.places[static_cast<std::size_t>(cell.query)];
  const UnionPlace& key = pair.keys.places[static_cast<std::size_t>(cell.key)];
  std::string words =
      fmt::format("{} → {}", pair.queries.Label(cell.query), pair.keys.Label(cell.key));
  if (drawing.query == cell.query) {
    const float a = drawing.row_a[static_cast<std::size_t>(cell.key)];
    const float b = drawing.row_b[static_cast<std::size_t>(cell.key)];
    const bool in_a = !query.a.empty() && !key.a.empty();
    const bool in_b = !query.b.empty() && !key.b.empty();
    words += "\nA  " + (in_a ? CellText(a) : "has no such cell");
    words += "\nB  " + (in_b ? CellText(b) : "has no such cell");
    if (in_a && in_b && (a >= 0.0F || b >= 0.0F)) {
      const double difference =
          static_cast<double>(std::max(b, 0.0F)) - static_cast<double>(std::max(a, 0.0F));
      words += fmt::format("\nB − A  {:+.6f}", difference);
    }
  }
  words += fmt::format("\nrow {}, column {}{}",
                       cell.query,
                       cell.key,
                       state.compare.point_locked ? "; kept (Esc releases)" : "; click to keep");
  return words;
}

// As wide as its longest line, and off what it tells of.
void DrawTooltipOff(Ui* ui, const std::string& words, std::span<const Rect> off) {
  float width = 0.0F;
  for (std::size_t begin = 0; begin <= words.size();) {
    const std::size_t end = std::min(words.find('\n', begin), words.size());
    width = std::max(
        width, TextWidth(*ui, std::string_view(words).substr(begin, end - begin), Type::kBody));
    begin = end + 1;
  }
  width = std::min(width + 1.0F, ui->Px(340.0F));
  const float height = ParagraphHeight(*ui, words, width, Type::kBody);
  const ImVec2 pad = ImGui::GetStyle().WindowPadding;
  const ImGuiIO& io = ImGui::GetIO();
  const Rect place = PlaceTooltip(
      {.window =
           Inset({0.0F, 0.0F, io.DisplaySize.x, io.DisplaySize.y}, ui->Px(4.0F), ui->Px(4.0F)),
       .width = width + 2.0F * pad.x,
       .height = height + 2.0F * pad.y,
       .x = io.MousePos.x,
       .y = io.MousePos.y,
       .gap = ui->Px(12.0F),
       .off = off});
  ImGui::SetNextWindowPos({place.x, place.y});
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  DrawParagraph(*ui, at.x, at.y, width, words, Type::kBody, ui->colors().text);
  ImGui::Dummy({width, height});
  ImGui::EndTooltip();
}

}  // namespace

void HandleComparePointer(Ui* ui,
                          const char* id,
                          const MapGeometry& geometry,
                          const MapGeometry* twin,
                          CompareDrawing* drawing) {
  const ImGuiIO& io = ImGui::GetIO();
  const CompareState& compare = ui->state.compare;
  const Rect& target = geometry.target;
  const Pressed area = Area(ui, id, target, "");
  const bool active = ImGui::IsItemActive();
  const float divider = target.x + target.width * compare.look.divider;
  const bool swipes = compare.look.view == CompareView::kSwipe;
  const bool at_divider = swipes && std::abs(io.MousePos.x - divider) < ui->Px(8.0F);
  if (ImGui::IsItemActivated()) {
    drawing->dragged = false;
    drawing->drags_divider = at_divider;
  }
  if (swipes && ((area.hovered && at_divider) || (active && drawing->drags_divider))) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
  }
  if (active && drawing->drags_divider) {
    drawing->dragged = true;
    CompareLook look = compare.look;
    look.divider = (io.MousePos.x - target.x) / target.width;
    if (look.divider != compare.look.divider) {
      ui->Do(SetCompareLook{look});
    }
    return;
  }
  if (active && ImGui::IsMouseDragging(0, 3.0F)) {
    drawing->dragged = true;
    ui->Do(PanMap{-static_cast<double>(io.MouseDelta.x / geometry.whole.width),
                  -static_cast<double>(io.MouseDelta.y / geometry.whole.height)});
  }
  const auto cell =
      geometry.At(static_cast<double>(io.MousePos.x), static_cast<double>(io.MousePos.y));
  if (area.clicked && !drawing->dragged && cell) {
    ui->Do(ClickPlace{{.query = cell->query, .key = cell->key}});
  }
  if (!area.hovered || !cell) {
    return;
  }
  ui->memory->pointing = true;
  const MapPoint point{.query = cell->query, .key = cell->key};
  if (!compare.point_locked && compare.point != point) {
    ui->Do(PointPlace{point});
  }
  ZoomByPointer(ui, geometry);
  if (!active) {
    const bool is_locked = compare.point_locked && compare.point && compare.point->cell();
    const CellIndex told = is_locked ? *compare.point->cell() : *cell;
    std::vector<Rect> off = {geometry.CellRect(told), geometry.CellRect(*cell)};
    if (twin != nullptr) {
      off.push_back(twin->CellRect(told));
      off.push_back(twin->CellRect(*cell));
    }
    DrawTooltipOff(ui, WordsOfPlace(ui->state, *drawing, told), off);
  }
}

}  // namespace headscope
