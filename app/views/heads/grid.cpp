#include "app/views/heads/grid.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/kit/pen.h"
#include "app/views/kit/reveal.h"

namespace headscope {
namespace {

// What is seen of the cells.
Rect SeenCells(const HeadsGrid& grid) {
  return {grid.area.x + grid.left,
          grid.area.y + grid.top,
          grid.area.width - grid.left,
          grid.area.height - grid.top - grid.bar_height};
}

void DrawHeadCell(Ui* ui, const Rect& place, const HeadsGridCell& cell) {
  FillRect(*ui, place, cell.fill, 3.0F);
  if (cell.frame) {
    FrameRect(*ui, place, *cell.frame, 3.0F);
  }
  if (!cell.words.empty() && LineHeight(*ui, Type::kMonoSmall) < place.height &&
      TextWidth(*ui, cell.words, Type::kMonoSmall) + ui->Px(6.0F) < place.width) {
    Row(ui, place).TextMiddle(cell.words, Type::kMonoSmall, ReadableOn(*ui, cell.words_on));
  }
}

// Names that would touch are left out, evenly, and so are those that are scrolled out of sight.
void DrawHeadNames(const Ui& ui, const HeadsGrid& grid, float sx) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ThemeColors& colors = ui.colors();
  const Rect seen = SeenCells(grid);
  const float line = LineHeight(ui, Type::kMonoSmall);
  const float name = TextWidth(ui, "H00", Type::kMonoSmall) + ui.Px(6.0F);
  const auto every = std::max<std::int64_t>(1, std::lround(std::ceil(name / grid.cell_width)));
  const float right = seen.x + seen.width;
  list->PushClipRect({seen.x, grid.area.y}, {right, seen.y + seen.height}, true);
  for (std::int64_t head = 0; head < grid.heads; head += every) {
    const Rect cell = grid.Cell(0, head, sx, 0.0F);
    const std::string words = fmt::format("H{}", head);
    const float width = TextWidth(ui, words, Type::kMonoSmall);
    const float x = cell.x + (cell.width - width) / 2.0F;
    if (x + width > seen.x && x < right) {
      DrawText(ui,
               x,
               cell.y - line - ui.Px(5.0F),
               words,
               Type::kMonoSmall,
               head == ui.state.selection.head.head ? colors.text : colors.dim);
    }
  }
  list->PopClipRect();
}

void DrawLayerNames(Ui* ui, const HeadsGrid& grid, const HeadsGridLook& look, float sy) {
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const ThemeColors& colors = ui->colors();
  const Rect seen = SeenCells(grid);
  const float line = LineHeight(*ui, Type::kMonoSmall);
  const auto every = std::max<std::int64_t>(1, std::lround(std::ceil(line / grid.cell_height)));
  const float bottom = seen.y + seen.height;
  list->PushClipRect({grid.area.x, seen.y}, {seen.x + seen.width, bottom}, true);
  for (std::int64_t row = 0; row < grid.layers; row += every) {
    const std::int64_t layer = look.rows[static_cast<std::size_t>(row)].layer;
    const Rect cell = grid.Cell(row, 0, 0.0F, sy);
    const float y = cell.y + (cell.height - line) / 2.0F;
    if (y + line > seen.y && y < bottom) {
      Row(ui, {grid.area.x, y, cell.x - ui->Px(10.0F) - grid.area.x, 0.0F}, true)
          .TextRight(LayerName({look.part, layer}),
                     Type::kMonoSmall,
                     layer == ui->state.selection.head.layer ? colors.text : colors.dim);
    }
  }
  list->PopClipRect();
}

}  // namespace

std::optional<HeadsGridPointed> DrawHeadsGrid(Ui* ui,
                                              const HeadsGrid& grid,
                                              const HeadsGridLook& look) {
  const Rect seen = SeenCells(grid);
  if (seen.width < 2.0F || seen.height < 2.0F) {
    return std::nullopt;
  }
  BeginScroll(look.id, seen, true);
  const float width = grid.content_width() - grid.left;
  const float height = grid.content_height() - grid.top;
  ImGui::Dummy({width, height});
  const float sx = ImGui::GetScrollX();
  const float sy = ImGui::GetScrollY();
  const Pressed pressed = Area(ui, "cells", {seen.x - sx, seen.y - sy, width, height}, "");
  const auto head_at = [&look](std::int64_t row, std::int64_t head) {
    return HeadIndex{look.rows[static_cast<std::size_t>(row)].layer, head, look.part};
  };
  const Selection& selection = ui->state.selection;
  if (const auto row = std::ranges::find(look.rows, selection.head.layer, &HeadsGridRow::layer);
      row != look.rows.end() && look.part == selection.head.part) {
    RevealHead(ui,
               {.view = look.id,
                .head = selection.head,
                .cell = grid.Cell(row - look.rows.begin(), selection.head.head, sx, sy),
                .seen = seen,
                .is_chosen = selection.head_locked});
  }
  for (std::int64_t row = 0; row < grid.layers; ++row) {
    for (std::int64_t head = 0; head < look.rows[static_cast<std::size_t>(row)].heads; ++head) {
      const Rect place = grid.Cell(row, head, sx, sy);
      if (place.y + place.height < seen.y || place.y > seen.y + seen.height ||
          place.x + place.width < seen.x || place.x > seen.x + seen.width) {
        continue;
      }
      const HeadIndex index = head_at(row, head);
      DrawHeadCell(ui, place, look.cell(index));
      if (index == ui->state.selection.head) {
        FrameRect(*ui, Inset(place, -ui->Px(1.0F), -ui->Px(1.0F)), ui->colors().accent, 4.0F, 2.0F);
      }
      if (look.mark_on) {
        look.mark_on(place, index);
      }
    }
  }
  std::optional<HeadsGridPointed> pointed;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (const auto at = grid.At(mouse.x, mouse.y, sx, sy); pressed.hovered && at) {
    if (at->head < look.rows[static_cast<std::size_t>(at->layer)].heads) {
      pointed = {head_at(at->layer, at->head), pressed.clicked};
    }
  }
  EndScroll();
  DrawHeadNames(*ui, grid, sx);
  DrawLayerNames(ui, grid, look, sy);
  return pointed;
}

Rect DrawHeadsGridBar(Ui* ui, const HeadsGrid& grid, const HeadsGridBar& bar) {
  const ThemeColors& colors = ui->colors();
  const float room = grid.area.width - grid.left - ui->Px(bar.free);
  const Rect place{grid.area.x + grid.left,
                   grid.area.y + grid.area.height - grid.bar_height + ui->Px(10.0F),
                   std::min(ui->Px(bar.most_width), room),
                   ui->Px(9.0F)};
  if (place.width < ui->Px(40.0F) || SeenCells(grid).height < 2.0F) {
    return {};
  }
  FillGradient(place, ColormapTable(bar.colormap, ui->state.theme), 48);
  const float below = place.y + place.height + ui->Px(3.0F);
  Row ends(ui, {place.x, below, place.width, 0.0F}, true);
  ends.TextRight(bar.high, Type::kMonoSmall, colors.muted);
  ends.SkipRight(8.0F);
  if (TextWidth(*ui, bar.low, Type::kMonoSmall) < ends.rest().width) {
    ends.Text(bar.low, Type::kMonoSmall, colors.muted);
  }
  if (bar.mark) {
    const float at = place.x + place.width * *bar.mark;
    ImGui::GetWindowDrawList()->AddLine({at, place.y - ui->Px(2.0F)},
                                        {at, place.y + place.height + ui->Px(2.0F)},
                                        ToImGui(colors.text),
                                        ui->Px(2.0F));
  }
  return place;
}

float BelowHeadsGridBar(const Ui& ui, const Rect& bar) {
  return bar.y + bar.height + ui.Px(3.0F) + LineHeight(ui, Type::kMonoSmall) + ui.Px(2.0F);
}

}  // namespace headscope
