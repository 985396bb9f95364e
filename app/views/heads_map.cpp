// Layers x heads, each cell coloured by a score: dark at chance, bright at the most.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/heads_panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

constexpr std::size_t kTopHeads = 8;

Colormap MapOf(const Ui& ui, const ScoreRange& range) {
  return range.is_signed ? Colormap::kDiverging : ui.state.settings.colormap;
}

Rgb ColorAt(const Ui& ui, const ScoreRange& range, double score) {
  const auto table = ColormapTable(MapOf(ui, range), ui.state.theme);
  const auto index = static_cast<std::size_t>(std::lround(range.At(score) * 255.0F));
  return table[std::min<std::size_t>(index, table.size() - 1)];
}

// From chance to the most, in words that can be checked.
void DrawBar(Ui* ui, const HeadsGrid& grid, const ScoredMetric& metric, const ScoreRange& range) {
  const ThemeColors& colors = ui->colors();
  const float y = grid.area.y + grid.area.height - grid.bar_height + ui->Px(10.0F);
  const float x = grid.area.x + grid.left;
  const float width = std::min(ui->Px(220.0F), grid.area.width - grid.left - ui->Px(120.0F));
  if (width < ui->Px(40.0F)) {
    return;
  }
  const float height = ui->Px(9.0F);
  FillGradient({x, y, width, height}, ColormapTable(MapOf(*ui, range), ui->state.theme), 48);
  const float below = y + height + ui->Px(3.0F);
  const bool is_chance = !range.chance && !range.is_signed;
  const std::string low =
      is_chance ? "chance " + ScoreText(metric, range.low) : ScoreText(metric, range.low);
  const std::string high = ScoreText(metric, range.high);
  const float both = TextWidth(*ui, low, Type::kMonoSmall) + TextWidth(*ui, high, Type::kMonoSmall);
  if (both + ui->Px(8.0F) < width) {
    DrawText(*ui, x, below, low, Type::kMonoSmall, colors.muted);
  }
  DrawText(*ui,
           x + width - TextWidth(*ui, high, Type::kMonoSmall),
           below,
           high,
           Type::kMonoSmall,
           colors.muted);
  if (range.chance && !range.is_signed) {
    const float at = x + width * range.At(*range.chance);
    ImGui::GetWindowDrawList()->AddLine({at, y - ui->Px(2.0F)},
                                        {at, y + height + ui->Px(2.0F)},
                                        ToImGui(colors.text),
                                        ui->Px(2.0F));
  }
  std::string words = metric.name;
  if (range.chance && !range.is_signed) {
    words += fmt::format("; line: chance {}", ScoreText(metric, *range.chance));
  } else if (is_chance) {
    words += "; darkest: chance or less";
  }
  words += "; outlined: the top 8; dot: flag, ring: suggestion";
  DrawText(*ui,
           x,
           below + LineHeight(*ui, Type::kMonoSmall) + ui->Px(3.0F),
           words,
           Type::kSmall,
           colors.dim,
           std::max(ui->Px(20.0F), grid.area.width - grid.left - ui->Px(12.0F)));
}

void DrawCellNames(
    const Ui& ui, const HeadsGrid& grid, const HeadsFrame& frame, float sx, float sy) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ThemeColors& colors = ui.colors();
  const HeadIndex selected = ui.state.selection.head;
  const float line = LineHeight(ui, Type::kMonoSmall);
  // Names that would touch are left out, evenly.
  const float name = TextWidth(ui, "H00", Type::kMonoSmall) + ui.Px(6.0F);
  const auto every = std::max<std::int64_t>(1, std::lround(std::ceil(name / grid.cell_width)));
  const auto every_row = std::max<std::int64_t>(1, std::lround(std::ceil(line / grid.cell_height)));
  const float right = grid.area.x + grid.area.width;
  const float bottom = grid.area.y + grid.area.height - grid.bar_height;
  list->PushClipRect({grid.area.x + grid.left, grid.area.y}, {right, bottom}, true);
  for (std::int64_t head = 0; head < grid.heads; head += every) {
    const Rect cell = grid.Cell(0, head, sx, 0.0F);
    const std::string words = fmt::format("H{}", head);
    DrawText(ui,
             cell.x + (cell.width - TextWidth(ui, words, Type::kMonoSmall)) / 2.0F,
             cell.y - line - ui.Px(5.0F),
             words,
             Type::kMonoSmall,
             head == selected.head ? colors.text : colors.dim);
  }
  list->PopClipRect();
  list->PushClipRect({grid.area.x, grid.area.y + grid.top}, {right, bottom}, true);
  for (std::int64_t layer = 0; layer < grid.layers; layer += every_row) {
    const Rect cell = grid.Cell(layer, 0, 0.0F, sy);
    const std::string words = LayerName({frame.heads.part, layer});
    DrawText(ui,
             cell.x - TextWidth(ui, words, Type::kMonoSmall) - ui.Px(10.0F),
             cell.y + (cell.height - line) / 2.0F,
             words,
             Type::kMonoSmall,
             layer == selected.layer ? colors.text : colors.dim);
  }
  list->PopClipRect();
}

}  // namespace

void DrawHeadsMap(Ui* ui, const Rect& area, const HeadsFrame& frame) {
  const ThemeColors& colors = ui->colors();
  const ScoredMetric& metric = *frame.metric;
  const HeadsGrid grid = LayOutHeadsGrid(area, frame.heads.layers, frame.heads.heads, ui->scale);
  const ScoreRange range = RangeOf(metric);
  const std::vector<std::size_t> top = TopHeads(metric, kTopHeads);
  const Rect cells{area.x + grid.left,
                   area.y + grid.top,
                   area.width - grid.left,
                   area.height - grid.top - grid.bar_height};
  if (cells.width < 2.0F || cells.height < 2.0F) {
    return;
  }
  BeginScroll("heads map", cells, true);
  ImGui::Dummy({grid.content_width() - grid.left, grid.content_height() - grid.top});
  const float sx = ImGui::GetScrollX();
  const float sy = ImGui::GetScrollY();
  const Pressed pressed = Area(ui,
                               "cells",
                               {cells.x - sx,
                                cells.y - sy,
                                grid.content_width() - grid.left,
                                grid.content_height() - grid.top},
                               "");
  for (std::size_t place = 0; place < frame.heads.count(); ++place) {
    const HeadIndex head = frame.heads.At(place);
    const Rect cell = grid.Cell(head.layer, head.head, sx, sy);
    if (cell.y + cell.height < cells.y || cell.y > cells.y + cells.height ||
        cell.x + cell.width < cells.x || cell.x > cells.x + cells.width) {
      continue;
    }
    const auto& score = metric.scores->heads[place].score;
    const Rgb color = score ? ColorAt(*ui, range, *score) : colors.panel;
    const bool is_shown = IsShown(*ui, head, frame.suggestions);
    FillRect(*ui, cell, is_shown ? color : Blend(colors.background, color, 0.2F), 3.0F);
    const bool is_top = is_shown && std::ranges::find(top, place) != top.end();
    if (is_top) {
      FrameRect(*ui, cell, colors.text, 3.0F, 1.0F);
      const std::string words = ScoreText(metric, *score);
      const float width = TextWidth(*ui, words, Type::kMonoSmall);
      if (width + ui->Px(6.0F) < cell.width && LineHeight(*ui, Type::kMonoSmall) < cell.height) {
        DrawTextIn(*ui,
                   {cell.x + (cell.width - width) / 2.0F, cell.y, width, cell.height},
                   words,
                   Type::kMonoSmall,
                   ReadableOn(*ui, color));
      }
    }
    if (head == ui->state.selection.head) {
      FrameRect(*ui, Inset(cell, -ui->Px(1.0F), -ui->Px(1.0F)), colors.accent, 4.0F, 2.0F);
    }
    if (cell.width >= ui->Px(14.0F) && cell.height >= ui->Px(12.0F)) {
      DrawRoleDot(
          *ui, cell.x + cell.width - ui->Px(6.0F), cell.y + ui->Px(6.0F), head, frame.suggestions);
    }
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (pressed.hovered) {
    if (const auto head = grid.At(mouse.x, mouse.y, sx, sy)) {
      PointAtHead(ui, frame, *head, pressed.clicked);
    }
  }
  EndScroll();
  DrawCellNames(*ui, grid, frame, sx, sy);
  DrawBar(ui, grid, metric, range);
}

}  // namespace headscope
