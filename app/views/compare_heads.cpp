// Layers x heads of side A, each coloured by how far it lies from its match, and a list of those
// that differ most.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/compare_panels.h"
#include "app/views/heads_layout.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

// How far apart heads lie that are not matched, on the mean: what a divergence is measured by.
std::optional<double> MeanOfOthers(const Comparison& comparison) {
  double sum = 0.0;
  std::int64_t count = 0;
  for (const LayerComparison& layer : comparison.layers) {
    for (std::int64_t a = 0; a < layer.heads_a && layer.num_rows > 0; ++a) {
      const HeadPair* const matched = layer.PairOf(a);
      for (std::int64_t b = 0; b < layer.heads_b; ++b) {
        if (matched == nullptr || matched->b != b) {
          sum += layer.Divergence(a, b);
          ++count;
        }
      }
    }
  }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

void DrawBarInCompareHeads(Ui* ui,
                           const HeadsGrid& grid,
                           const ColorScale& scale,
                           const Comparison& comparison) {
  const ThemeColors& colors = ui->colors();
  const float x = grid.area.x + grid.left;
  const float y = grid.area.y + grid.area.height - grid.bar_height + ui->Px(10.0F);
  const float room = grid.area.width - grid.left - ui->Px(12.0F);
  const float width = std::min(ui->Px(200.0F), room);
  if (width < ui->Px(40.0F)) {
    return;
  }
  const float height = ui->Px(9.0F);
  FillGradient({x, y, width, height}, ColormapTable(scale.colormap, ui->state.theme), 48);
  const float below = y + height + ui->Px(3.0F);
  DrawText(*ui, x, below, "0", Type::kMonoSmall, colors.muted);
  const std::string high = fmt::format("{:.3g} nats", scale.high);
  const float high_width = TextWidth(*ui, high, Type::kMonoSmall);
  DrawText(*ui, x + width - high_width, below, high, Type::kMonoSmall, colors.muted);
  std::string shown;
  std::string words = "divergence from the match; 0.693: no key in common";
  if (const auto others = MeanOfOthers(comparison)) {
    const float at = x + width * Position(scale, static_cast<float>(*others));
    ImGui::GetWindowDrawList()->AddLine({at, y - ui->Px(2.0F)},
                                        {at, y + height + ui->Px(2.0F)},
                                        ToImGui(colors.text),
                                        ui->Px(2.0F));
    words += fmt::format("; line: unmatched heads, {:.2f} on the mean", *others);
  }
  if (TextWidth(*ui, words, Type::kSmall) > room) {
    shown = "divergence from the match";
  }
  const Rect bar{x, y - ui->Px(4.0F), room, grid.bar_height - ui->Px(8.0F)};
  Area(ui, "divergence bar", bar, words);
  DrawText(*ui,
           x,
           below + LineHeight(*ui, Type::kMonoSmall) + ui->Px(2.0F),
           shown.empty() ? words : shown,
           Type::kSmall,
           colors.dim,
           room);
}

void DrawNamesInCompareHeads(const Ui& ui, const HeadsGrid& grid, const Comparison& comparison) {
  const ThemeColors& colors = ui.colors();
  const HeadIndex selected = ui.state.selection.head;
  const float line = LineHeight(ui, Type::kMonoSmall);
  const float name = TextWidth(ui, "H00", Type::kMonoSmall) + ui.Px(6.0F);
  const auto every = std::max<std::int64_t>(1, std::lround(std::ceil(name / grid.cell_width)));
  const auto every_row = std::max<std::int64_t>(1, std::lround(std::ceil(line / grid.cell_height)));
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float right = grid.area.x + grid.area.width;
  const float bottom = grid.area.y + grid.area.height - grid.bar_height;
  list->PushClipRect({grid.area.x, grid.area.y}, {right, bottom}, true);
  for (std::int64_t head = 0; head < grid.heads; head += every) {
    const Rect cell = grid.Cell(0, head, 0.0F, 0.0F);
    const std::string words = fmt::format("H{}", head);
    DrawText(ui,
             cell.x + (cell.width - TextWidth(ui, words, Type::kMonoSmall)) / 2.0F,
             cell.y - line - ui.Px(5.0F),
             words,
             Type::kMonoSmall,
             head == selected.head ? colors.text : colors.dim);
  }
  for (std::int64_t row = 0; row < grid.layers; row += every_row) {
    const std::int64_t layer = comparison.layers[static_cast<std::size_t>(row)].layer;
    const Rect cell = grid.Cell(row, 0, 0.0F, 0.0F);
    const std::string words = LayerName({comparison.part_a, layer});
    DrawText(ui,
             cell.x - TextWidth(ui, words, Type::kMonoSmall) - ui.Px(10.0F),
             cell.y + (cell.height - line) / 2.0F,
             words,
             Type::kMonoSmall,
             layer == selected.layer ? colors.text : colors.dim);
  }
  list->PopClipRect();
}

// A head under the pointer is previewed, a click locks it; as in Inspect.
void CompareHeadsPoint(Ui* ui, const ComparedHeads& pair, bool clicked) {
  ViewMemory& memory = *ui->memory;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::pair at{mouse.x, mouse.y};
  if (at != memory.hovered_at && pair.head != ui->state.selection.head &&
      !ui->state.selection.head_locked) {
    ui->Do(HoverHead{pair.head});
  }
  memory.hovered_at = at;
  if (clicked) {
    ui->Do(ClickHead{pair.head});
  }
  const auto item = static_cast<std::uint32_t>(4000000 + pair.head.layer * 4096 + pair.head.head);
  TooltipForItem(ui,
                 item,
                 true,
                 fmt::format("{}: {}{}",
                             NameOfPair(pair),
                             DivergenceText(pair),
                             pair.by_hand ? ", paired by hand" : ""));
}

}  // namespace

ColorScale ScaleOfDivergence(const AppState& state) {
  ColorScale scale{.curve = state.settings.curve, .colormap = state.settings.colormap};
  scale.high = std::numbers::ln2_v<float>;
  if (state.settings.range != RangeMode::kFixed) {
    const auto pairs = FurthestPairs(state);
    const double largest = pairs.empty() ? 0.0 : *pairs.front().divergence;
    scale.high = largest > 0.0 ? static_cast<float>(largest) : scale.high;
  }
  return scale;
}

void DrawComparedHeads(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const Comparison& comparison = ui->state.compare.result->comparison;
  const ColorScale scale = ScaleOfDivergence(ui->state);
  std::int64_t heads = 1;
  for (const LayerComparison& layer : comparison.layers) {
    heads = std::max(heads, layer.heads_a);
  }
  const HeadsGrid grid = LayOutHeadsGrid(area, std::ssize(comparison.layers), heads, ui->scale);
  const Rect cells{area.x + grid.left,
                   area.y + grid.top,
                   area.width - grid.left,
                   area.height - grid.top - grid.bar_height};
  if (cells.width < 2.0F || cells.height < 2.0F) {
    return;
  }
  BeginScroll("compared heads", cells, true);
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
  for (std::int64_t row = 0; row < grid.layers; ++row) {
    const LayerComparison& layer = comparison.layers[static_cast<std::size_t>(row)];
    for (std::int64_t head = 0; head < layer.heads_a; ++head) {
      const HeadIndex index{layer.layer, head, comparison.part_a};
      const ComparedHeads pair = ComparedAt(ui->state, index);
      const Rect cell = grid.Cell(row, head, sx, sy);
      const Rgb fill = pair.divergence
                           ? ColorOf(scale, ui->state.theme, static_cast<float>(*pair.divergence))
                           : colors.panel;
      FillRect(*ui, cell, fill, 3.0F);
      const std::string words = pair.divergence ? fmt::format("{:.2f}", *pair.divergence) : "–";
      const float width = TextWidth(*ui, words, Type::kMonoSmall);
      if (width + ui->Px(6.0F) < cell.width && LineHeight(*ui, Type::kMonoSmall) < cell.height) {
        DrawTextIn(*ui,
                   {cell.x + (cell.width - width) / 2.0F, cell.y, width, cell.height},
                   words,
                   Type::kMonoSmall,
                   ReadableOn(*ui, fill));
      }
      if (!pair.divergence) {
        FrameRect(*ui, cell, colors.line, 3.0F);
      }
      if (index == ui->state.selection.head) {
        FrameRect(*ui, Inset(cell, -ui->Px(1.0F), -ui->Px(1.0F)), colors.accent, 4.0F, 2.0F);
      }
    }
  }
  if (pressed.hovered) {
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    if (const auto at = grid.At(mouse.x, mouse.y, sx, sy)) {
      const LayerComparison& layer = comparison.layers[static_cast<std::size_t>(at->layer)];
      if (at->head < layer.heads_a) {
        CompareHeadsPoint(
            ui, ComparedAt(ui->state, {layer.layer, at->head, comparison.part_a}), pressed.clicked);
      }
    }
  }
  EndScroll();
  DrawNamesInCompareHeads(*ui, grid, comparison);
  DrawBarInCompareHeads(ui, grid, scale, comparison);
}

void DrawFurthestPairs(Ui* ui, const Rect& area) {
  const ThemeColors& colors = ui->colors();
  const ColorScale scale = ScaleOfDivergence(ui->state);
  const std::vector<ComparedHeads> pairs = FurthestPairs(ui->state);
  const float pad = ui->Px(14.0F);
  const float line = ui->Px(24.0F);
  const float x = area.x + pad;
  const float width = area.width - 2.0F * pad;
  if (width < ui->Px(60.0F) || area.height < 2.0F * line) {
    return;
  }
  DrawText(*ui, x, area.y + ui->Px(8.0F), "Differ most", Type::kBold, colors.text, width);
  const Rect rows{x, area.y + ui->Px(32.0F), width, area.height - ui->Px(36.0F)};
  BeginScroll("differ most", rows);
  const float top = rows.y - ImGui::GetScrollY();
  ImGui::Dummy({1.0F, line * static_cast<float>(pairs.size())});
  const float bar = ui->Px(2.0F) + ImGui::GetStyle().ScrollbarSize;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const ComparedHeads& pair = pairs[i];
    const Rect row{x, top + line * static_cast<float>(i), width - bar, line};
    if (row.y + line < rows.y || row.y > rows.y + rows.height) {
      continue;
    }
    ImGui::PushID(static_cast<int>(i));
    const Pressed pressed = Area(ui, "pair", row, "");
    ImGui::PopID();
    const bool is_selected = pair.head == ui->state.selection.head;
    if (pressed.hovered || is_selected) {
      FillRect(*ui, row, colors.raised, 4.0F);
    }
    const float swatch = ui->Px(10.0F);
    FillRect(*ui,
             {row.x + ui->Px(4.0F), row.y + (line - swatch) / 2.0F, swatch, swatch},
             ColorOf(scale, ui->state.theme, static_cast<float>(*pair.divergence)),
             2.0F);
    const std::string number = fmt::format("{:.3f}", *pair.divergence);
    const float number_width = TextWidth(*ui, number, Type::kMono);
    const Rect name{row.x + ui->Px(20.0F), row.y, row.width - number_width - ui->Px(30.0F), line};
    DrawTextIn(*ui,
               name,
               NameOfPair(pair),
               Type::kMono,
               is_selected ? colors.text : colors.muted,
               name.width);
    DrawTextIn(*ui,
               {row.x + row.width - number_width - ui->Px(4.0F), row.y, number_width, line},
               number,
               Type::kMono,
               colors.text);
    if (pressed.clicked && !(is_selected && ui->state.selection.head_locked)) {
      ui->Do(ClickHead{pair.head});
    }
  }
  EndScroll();
}

}  // namespace headscope
