// All layers x heads as thumbnails.
#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/detail_header.h"
#include "app/views/grid_layout.h"
#include "app/views/heads_panels.h"
#include "app/views/map_geometry.h"
#include "app/views/map_textures.h"
#include "app/views/panels.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

// How many heads there are for one name above them, so that the names stand apart.
std::int64_t NameStep(const Ui& ui, const GridLayout& grid) {
  const float widest = TextWidth(ui, fmt::format("H{}", grid.heads - 1), Type::kMono) + ui.Px(4.0F);
  return ThinLabels(0.0, 1.0, static_cast<double>(grid.cell_width + grid.gap), widest, 1).step;
}

// Names stay beside the cells that scroll, and never over them.
void DrawNames(const Ui& ui, const Rect& area, const GridLayout& grid, float sx, float sy) {
  const ThemeColors& colors = ui.colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const HeadIndex selected = ui.state.selection.head;
  const Rect& cells = grid.cells;
  list->PushClipRect({cells.x, area.y}, {cells.x + cells.width, cells.y}, true);
  const std::int64_t step = NameStep(ui, grid);
  for (std::int64_t head = 0; head < grid.heads; ++head) {
    const Rect cell = grid.Cell({0, head}, sx, sy);
    if (cell.x + cell.width < cells.x || cell.x > cells.x + cells.width || head % step != 0) {
      continue;
    }
    const std::string name = fmt::format("H{}", head);
    const LabelTexture label = LabelOf(ui, name, Type::kMono);
    DrawText(ui,
             cell.x + (cell.width - label.width) / 2.0F,
             cells.y - ui.Px(6.0F) - label.height,
             name,
             Type::kMono,
             head == selected.head ? colors.text : colors.dim);
  }
  list->PopClipRect();
  list->PushClipRect({area.x, cells.y}, {cells.x, cells.y + cells.height}, true);
  for (std::int64_t layer = 0; layer < grid.layers; ++layer) {
    const Rect cell = grid.Cell({layer, 0}, sx, sy);
    if (cell.y + cell.height < cells.y || cell.y > cells.y + cells.height) {
      continue;
    }
    const std::string name = LayerName({grid.part, layer});
    const LabelTexture label = LabelOf(ui, name, Type::kMono);
    DrawText(ui,
             cells.x - ui.Px(8.0F) - label.width,
             cell.y + (cell.height - label.height) / 2.0F,
             name,
             Type::kMono,
             layer == selected.layer ? colors.text : colors.dim);
  }
  list->PopClipRect();
}

// A suggestion: the bar of a flag, dashed.
void DrawDashes(const Ui& ui, const Rect& cell, Rgb color) {
  const float bar = ui.Px(4.0F);
  const float dash = ui.Px(5.0F);
  for (float x = cell.x; x < cell.x + cell.width; x += 2.0F * dash) {
    FillRect(ui,
             {x, cell.y + cell.height - bar, std::min(dash, cell.x + cell.width - x), bar},
             color,
             0.0F);
  }
}

void PlaceThumbnails(Ui* ui, const GridLayout& grid, float sx, float sy) {
  SceneRegion& region = ui->region(Panel::kMiddle);
  region.maps_clip = grid.cells;
  const FlagSheet& flags = FlagsInView(ui->state);
  const HeadIndex selected = ui->state.selection.head;
  const RangeMode range = ui->state.settings.range;
  ColorScale scale = ScaleFor(ui->state, {0, 0, grid.part});
  const HeadSuggestions suggestions(ScanInView(ui->state), flags);
  for (std::int64_t layer = 0; layer < grid.layers; ++layer) {
    if (!grid.Shows(grid.Row(layer, sx, sy))) {
      continue;
    }
    const LayerView view = LayerAt(ui->state, layer);
    if (range == RangeMode::kLayer) {
      scale = ScaleFor(ui->state, {layer, 0, grid.part});
    }
    for (std::int64_t head = 0; head < grid.heads; ++head) {
      const HeadIndex index{layer, head, grid.part};
      const Rect cell = grid.Cell(index, sx, sy);
      if (!grid.Shows(cell)) {
        continue;
      }
      const MapHandle handle =
          view.layer != nullptr
              ? ui->maps->Thumbnail({view.layer, head}, ui->state.settings.pooling)
              : 0;
      if (handle == 0) {
        region.fills.push_back({Intersection(cell, grid.cells), ui->colors().panel});
      } else {
        region.maps.push_back(
            {.map = handle,
             .target = cell,
             .source = {},
             .scale = range == RangeMode::kHead ? ScaleFor(ui->state, index) : scale,
             .dimmed = IsDimmed(*ui, view.stale, view.outdated)});
      }
      if (const HeadFlag* flag = FindFlag(flags, index)) {
        const float bar = ui->Px(4.0F);
        FillRect(*ui,
                 {cell.x, cell.y + cell.height - bar, cell.width, bar},
                 ColorFromHex(flag->colour),
                 0.0F);
      } else if (const auto& found = suggestions.Of(index); !found.empty()) {
        DrawDashes(*ui, cell, ColorOfRole(found.front()->role));
      }
      if (index == selected) {
        const float out = ui->Px(2.0F);
        FrameRect(*ui,
                  {cell.x - out, cell.y - out, cell.width + 2.0F * out, cell.height + 2.0F * out},
                  ui->colors().text,
                  4.0F,
                  2.0F);
      }
    }
  }
}

// `is_small`: a cell of the thumbnail is less than a pixel.
std::string TooltipOf(const Ui& ui, HeadIndex head, bool is_small) {
  std::string text = HeadName(head);
  if (const HeadFlag* flag = FindFlag(FlagsInView(ui.state), head)) {
    text += " · " + RoleLabel(flag->role);
    text += flag->note.empty() ? "" : ": " + Beginning(flag->note, 240);
  }
  const HeadSuggestions suggestions(ScanInView(ui.state), FlagsInView(ui.state));
  for (const Suggestion* one : suggestions.Of(head)) {
    text += fmt::format("\nsuggested: {} ({})", RoleLabel(one->role), VerdictName(one->verdict));
  }
  const LayerView view = LayerAt(ui.state, head.layer);
  if (view.layer != nullptr && view.layer->thumbnail(head.head).pooled) {
    const Thumbnail& thumbnail = view.layer->thumbnail(head.head);
    text += fmt::format(
        "\n{} x {} weights pooled to {} x {} by their {}; where cells are smaller "
        "than a pixel the largest is drawn",
        view.layer->shape().queries,
        view.layer->shape().keys,
        thumbnail.rows,
        thumbnail.cols,
        ui.state.settings.pooling == Pooling::kMax ? "largest" : "mean");
  } else if (view.layer != nullptr && is_small) {
    text += "\na pixel shows the largest of the weights under it";
  }
  const bool locked = ui.state.selection.head_locked && ui.state.selection.head == head;
  return text + (locked ? "\nclick or Esc unlocks" : "\nclick locks");
}

// Scrolls to a head that a key or a jump selected and that is out of sight.
void Reveal(Ui* ui, const GridLayout& grid, float sx, float sy) {
  const HeadIndex selected = ui->state.selection.head;
  ViewMemory& memory = *ui->memory;
  if (memory.revealed_head == selected) {
    return;
  }
  memory.revealed_head = selected;
  if (!ui->state.selection.head_locked) {
    return;
  }
  const Rect cell = grid.Cell(selected, sx, sy);
  if (cell.y < grid.view.y || cell.y + cell.height > grid.view.y + grid.view.height) {
    ImGui::SetScrollY(std::max(0.0F, sy + cell.y - grid.view.y - grid.view.height / 2.0F));
    ui->WakeIn(0.0);
  }
  if (cell.x < grid.view.x || cell.x + cell.width > grid.view.x + grid.view.width) {
    ImGui::SetScrollX(std::max(0.0F, sx + cell.x - grid.view.x - grid.view.width / 2.0F));
    ui->WakeIn(0.0);
  }
}

}  // namespace

void DrawGrid(Ui* ui, const Rect& area) {
  const LayerView view = SelectedLayer(ui->state);
  const AttentionShape shape = view.layer != nullptr ? view.layer->shape() : AttentionShape{};
  const GridLayout grid =
      LayOutGrid({.area = area,
                  .visible = ui->layout.middle_visible,
                  .layers = ShownLayers(ui->state),
                  .heads = ShownHeads(ui->state),
                  .part = PartInView(ui->state),
                  .aspect = static_cast<float>(std::max<std::int64_t>(1, shape.keys)) /
                            static_cast<float>(std::max<std::int64_t>(1, shape.queries)),
                  .scale = ui->scale,
                  .bar = ImGui::GetStyle().ScrollbarSize});
  if (grid.layers == 0 || grid.view.width < 2.0F || grid.view.height < 2.0F) {
    return;
  }
  BeginScroll("grid", grid.view, true);
  ImGui::Dummy({grid.content_width, grid.content_height});
  const float sx = ImGui::GetScrollX();
  const float sy = ImGui::GetScrollY();
  Reveal(ui, grid, sx, sy);
  PlaceThumbnails(ui, grid, sx, sy);
  const Pressed area_state =
      Area(ui,
           "heads",
           {grid.view.x - sx, grid.view.y - sy, grid.content_width, grid.content_height},
           "");
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::optional<HeadIndex> pointed =
      area_state.hovered ? grid.At(mouse.x, mouse.y, sx, sy) : std::nullopt;
  ViewMemory& memory = *ui->memory;
  // Only a pointer that moves previews, so that arrow keys are not undone by one that rests.
  const std::pair at{mouse.x, mouse.y};
  if (pointed && at != memory.hovered_at && *pointed != ui->state.selection.head &&
      !ui->state.selection.head_locked) {
    ui->Do(HoverHead{*pointed});
  }
  memory.hovered_at = at;
  if (area_state.clicked && pointed) {
    ui->Do(ClickHead{*pointed});
  }
  if (pointed) {
    const auto item =
        static_cast<std::uint32_t>(1000000 + pointed->layer * grid.heads + pointed->head);
    const bool is_small = grid.cell_width < static_cast<float>(shape.keys) ||
                          grid.cell_height < static_cast<float>(shape.queries);
    const std::string words = TooltipOf(*ui, *pointed, is_small);
    TooltipForItem(ui, item, true, words);
    if (ui->state.selection.head_locked && *pointed != ui->state.selection.head) {
      FrameRect(*ui, grid.Cell(*pointed, sx, sy), ui->colors().muted, 3.0F, 1.0F);
    }
  }
  EndScroll();
  DrawNames(*ui, area, grid, sx, sy);
}

}  // namespace headscope
