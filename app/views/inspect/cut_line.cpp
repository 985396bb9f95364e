// The edge of attention that a held cell stands for: ways to cut it, and its mark on the map.
#include <algorithm>
#include <string>

#include <imgui.h>

#include "app/state/inspect/cut_edges.h"
#include "app/views/inspect/head_views.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/widgets.h"

namespace headscope {
namespace {

constexpr float kCutLine = 24.0F;  // unscaled

bool HasCutLine(const AppState& state) {
  return state.selection.point_locked && EdgeInView(state, CutRows::kOne).has_value();
}

void DrawCutButton(Row* row, const Ui& ui, CutRows rows) {
  const bool is_one = rows == CutRows::kOne;
  const CutEdge edge = *EdgeInView(ui.state, rows);
  const bool is_cut = IsCut(ui.state, edge);
  const ButtonLook look{
      .text = is_one ? (is_cut ? "Join this edge" : "Cut this edge")
                     : (is_cut ? "Join this key" : "Cut this key for all rows"),
      .key = is_one ? "K" : "Shift K",
      .tooltip =
          is_one ? "What do later heads and the loss become if this row gives nothing to this key?"
                 : "The same if no row of this head gives anything to this key",
      .type = Type::kSmall,
      .active = is_cut};
  if (row->Button(is_one ? "cut edge" : "cut key", look)) {
    ui.Do(SwitchEdge{edge});
  }
  row->Skip(8.0F);
}

}  // namespace

float CutLineHeight(const Ui& ui) {
  return HasCutLine(ui.state) ? ui.Px(kCutLine + 6.0F) : 0.0F;
}

void DrawCutLine(Pen* pen) {
  Ui* const ui = pen->ui;
  if (!HasCutLine(ui->state)) {
    return;
  }
  Row row = pen->Line(kCutLine);
  DrawCutButton(&row, *ui, CutRows::kOne);
  DrawCutButton(&row, *ui, CutRows::kAll);
  row.Text(EdgeWords(ui->state, *EdgeInView(ui->state, CutRows::kOne)),
           Type::kSmall,
           ui->colors().muted);
  pen->Skip(6.0F);
}

void DrawCutCrosses(const Ui& ui,
                    const ShownWeights& shown,
                    const Rect& clip,
                    const StrokeOf& stroke_of) {
  if (shown.kept == nullptr) {
    return;
  }
  const float half = ui.Px(4.0F);
  const ImVec2 end{clip.x + clip.width, clip.y + clip.height};
  ImGui::GetWindowDrawList()->PushClipRect({clip.x, clip.y}, end, true);
  for (std::size_t view = 0; view < shown.maps.size(); ++view) {
    const MapView& map = shown.maps[view];
    const std::vector<CutEdge> cuts =
        CutsInView(ui.state, {map.layer->layer(), map.head, map.layer->part()});
    for (const KeptWeight& weight : shown.kept->weights) {
      const auto is_of = [&](const CutEdge& edge) {
        return edge.key == weight.key && edge.row.value_or(weight.query) == weight.query;
      };
      if (weight.view == static_cast<std::int32_t>(view) && std::ranges::any_of(cuts, is_of)) {
        const StrokePoint middle = PointOf(stroke_of(weight), 0.5F);
        DrawOffCross(ui, {middle.x - half, middle.y - half, 2.0F * half, 2.0F * half});
      }
    }
  }
  ImGui::GetWindowDrawList()->PopClipRect();
}

void DrawCutCells(const Ui& ui, const MapGeometry& geometry, const MapView& map) {
  if (map.layer == nullptr) {
    return;
  }
  const HeadIndex head{map.layer->layer(), map.head, map.layer->part()};
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const Rect& target = geometry.target;
  list->PushClipRect(
      {target.x, target.y}, {target.x + target.width, target.y + target.height}, true);
  constexpr double kLeastCell = 4.0;  // pixels: smaller ones are a line
  for (const CutEdge& edge : CutsInView(ui.state, head)) {
    if (!edge.row && geometry.cell_height() < kLeastCell) {
      const auto x = static_cast<float>(geometry.KeyX(edge.key));
      const auto width = std::max(ui.Px(1.0F), static_cast<float>(geometry.cell_width()));
      list->AddRectFilled(
          {x, target.y}, {x + width, target.y + target.height}, ToImGui(kOffInk, 0.6F));
      continue;
    }
    const std::int64_t first = edge.row.value_or(0);
    const std::int64_t last = edge.row ? *edge.row + 1 : geometry.queries;
    for (std::int64_t row = first; row < last; ++row) {
      const Rect cell = geometry.CellRect({.query = row, .key = edge.key});
      if (!map.layer->Visible(row, edge.key) || cell.width <= 0.0F || cell.height <= 0.0F) {
        continue;
      }
      list->AddRectFilled({cell.x, cell.y},
                          {cell.x + cell.width, cell.y + cell.height},
                          ToImGui(ui.colors().background, 0.78F));
      DrawOffCross(ui, cell);
    }
  }
  list->PopClipRect();
}

}  // namespace headscope
