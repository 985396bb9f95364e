// All layers x heads as thumbnails.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/heads/own_probe.h"
#include "app/state/inspect/cut_edges.h"
#include "app/state/inspect/grid_order.h"
#include "app/state/inspect/heads_off.h"
#include "app/state/queries.h"
#include "app/views/heads/panels.h"
#include "app/views/inspect/grid_layout.h"
#include "app/views/inspect/head_views.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/pen.h"
#include "app/views/kit/reveal.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/map_geometry.h"
#include "app/views/maps/map_textures.h"
#include "app/views/panels.h"
#include "app/views/screens.h"
#include "core/heads/measure/relation_words.h"

namespace headscope {
namespace {

// How many heads there are for one name above them, so that the names stand apart.
std::int64_t NameStep(const Ui& ui, const GridLayout& grid) {
  const float widest = TextWidth(ui, fmt::format("H{}", grid.heads - 1), Type::kMono) + ui.Px(4.0F);
  const auto pitch = static_cast<double>(grid.cell_width + grid.gap);
  return ThinLabels(0.0, 1.0, pitch, static_cast<double>(widest), 1).step;
}

// Names stay beside the cells that scroll, and never over them.
void DrawNames(Ui* ui, const Rect& area, const GridLayout& grid, float sx, float sy) {
  const ThemeColors& colors = ui->colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const HeadIndex selected = ui->state.selection.head;
  const Rect& cells = grid.cells;
  list->PushClipRect({cells.x, area.y}, {cells.x + cells.width, cells.y}, true);
  const std::int64_t step = NameStep(*ui, grid);
  for (std::int64_t head = 0; head < grid.heads; ++head) {
    const Rect cell = grid.Cell({0, head}, sx, sy);
    if (cell.x + cell.width < cells.x || cell.x > cells.x + cells.width || head % step != 0) {
      continue;
    }
    const std::string name = fmt::format("H{}", head);
    const LabelTexture label = LabelOf(*ui, name, Type::kMono);
    DrawText(*ui,
             cell.x + (cell.width - label.width) / 2.0F,
             cells.y - ui->Px(6.0F) - label.height,
             name,
             Type::kMono,
             head == selected.head ? colors.text : colors.dim);
  }
  list->PopClipRect();
  list->PushClipRect({area.x, cells.y}, {cells.x, cells.y + cells.height}, true);
  const std::vector<std::int64_t> layers = LayersInView(ui->state);
  for (std::size_t row = 0; row < layers.size(); ++row) {
    const std::int64_t layer = layers[row];
    const Rect cell = grid.Cell({static_cast<std::int64_t>(row), 0}, sx, sy);
    if (cell.y + cell.height < cells.y || cell.y > cells.y + cells.height) {
      continue;
    }
    Row(ui, {area.x, cell.y, cells.x - ui->Px(8.0F) - area.x, cell.height})
        .TextRight(LayerName({grid.part, layer}),
                   Type::kMono,
                   layer == selected.layer ? colors.text : colors.dim);
  }
  list->PopClipRect();
}

// Below a map: a bar in the role's colour, dashed where it is only suggested, and the role's name.
void DrawRoleBelow(
    const Ui& ui, const Rect& cell, float height, float room, const ShownRole& role) {
  const float bar = ui.Px(3.0F);
  const float y = cell.y + cell.height + ui.Px(2.0F);
  const float dash = role.is_flag ? cell.width : ui.Px(5.0F);
  for (float x = 0.0F; x < cell.width; x += 2.0F * dash) {
    FillRect(ui, {cell.x + x, y, std::min(dash, cell.width - x), bar}, role.color, 0.0F);
  }
  if (height > ui.Px(10.0F)) {
    const float width = TextWidth(ui, role.word, Type::kSmall);
    const float x = cell.x + std::min(0.0F, (cell.width - std::min(width, room)) / 2.0F);
    DrawText(ui, x, y + bar, role.word, Type::kSmall, ui.colors().muted, room);
  }
}

// The heads of a frame and where each stands: in a matrix of layers and heads, or in an order.
struct ShownGrid {
  GridLayout layout;
  bool is_plain = true;
  std::vector<HeadIndex> heads;      // in their order
  std::vector<std::int64_t> layers;  // of the rows of a matrix: a file may leave some out
  std::vector<std::string> scores;

  [[nodiscard]] HeadIndex PlaceOf(std::size_t index) const {
    const HeadIndex head = heads[index];
    return is_plain
               ? HeadIndex{std::ranges::lower_bound(layers, head.layer) - layers.begin(), head.head}
               : layout.PlaceOf(index);
  }
  [[nodiscard]] std::optional<std::size_t> IndexOf(HeadIndex head) const {
    const auto found = std::ranges::find(heads, head);
    return found != heads.end() ? std::optional(static_cast<std::size_t>(found - heads.begin()))
                                : std::nullopt;
  }
  // The head under a point of the window.
  [[nodiscard]] std::optional<HeadIndex> At(float x, float y, float sx, float sy) const {
    const std::optional<HeadIndex> place = layout.At(x, y, sx, sy);
    if (!place) {
      return std::nullopt;
    }
    if (is_plain) {
      return HeadIndex{layers[static_cast<std::size_t>(place->layer)], place->head, place->part};
    }
    const auto index = static_cast<std::size_t>(place->layer * layout.heads + place->head);
    return index < heads.size() ? std::optional(heads[index]) : std::nullopt;
  }
};

// Over each map in an order, with its score where heads are sorted by one.
void DrawCellName(
    Ui* ui, const Rect& cell, HeadIndex head, const std::string& score, float height) {
  const ThemeColors& colors = ui->colors();
  const bool is_selected = head == ui->state.selection.head;
  Row row(ui, {cell.x, cell.y - height, cell.width, height});
  row.Text(HeadName(head), Type::kMonoSmall, is_selected ? colors.text : colors.muted);
  row.Skip(4.0F);
  if (!score.empty() && TextWidth(*ui, score, Type::kMonoSmall) <= row.rest().width) {
    row.TextRight(score, Type::kMonoSmall, colors.dim);
  }
}

void PlaceThumbnails(Ui* ui, const ShownGrid& shown, float sx, float sy) {
  const GridLayout& grid = shown.layout;
  SceneRegion& region = ui->region(Panel::kMiddle);
  region.maps_clip = grid.cells;
  const FlagSheet& flags = FlagsInView(ui->state);
  const HeadIndex selected = ui->state.selection.head;
  const RangeMode range = ui->state.settings.range;
  const HeadSuggestions suggestions = SuggestionsInView(ui->state);
  const bool as_lines = ui->state.head_look.lines_in_grid;
  const HeadsOff* const off = HeadsOffInView(ui->state);
  std::vector<Stroke> strokes;
  BeginThumbnailLines(ui);
  // The scale and the layer of the last head drawn: most follow one of the same layer.
  std::optional<std::int64_t> layer;
  ColorScale scale = ScaleFor(ui->state, {0, 0, grid.part});
  LayerView view;
  for (std::size_t i = 0; i < shown.heads.size(); ++i) {
    const HeadIndex index = shown.heads[i];
    const Rect cell = grid.Cell(shown.PlaceOf(i), sx, sy);
    if (!grid.Shows(grid.Whole(shown.PlaceOf(i), sx, sy))) {
      continue;
    }
    if (layer != index.layer) {
      layer = index.layer;
      view = LayerAt(ui->state, index.layer);
      scale = range == RangeMode::kLayer ? ScaleFor(ui->state, {index.layer, 0, grid.part}) : scale;
    }
    const ColorScale& own = range == RangeMode::kHead ? ScaleFor(ui->state, index) : scale;
    const MapHandle handle =
        view.layer != nullptr && !as_lines
            ? ui->maps->Thumbnail({view.layer, index.head}, ui->state.settings.pooling)
            : 0;
    if (handle == 0) {
      region.fills.push_back({Intersection(cell, grid.cells), ui->colors().panel});
      if (as_lines && view.layer != nullptr) {
        const Rgb ink =
            IsDimmed(*ui, view.stale, view.outdated) ? ui->colors().dim : ui->colors().accent;
        AddThumbnailLines(ui, {view.layer, index.head}, cell, {ink, own}, &strokes);
      }
    } else {
      region.maps.push_back({.map = handle,
                             .target = cell,
                             .source = {},
                             .scale = own,
                             .dimmed = IsDimmed(*ui, view.stale, view.outdated)});
    }
    if (grid.name_height > 0.0F) {
      DrawCellName(ui, cell, index, shown.scores[i], grid.name_height);
    }
    if (const auto role = RoleShown(flags, suggestions, index)) {
      DrawRoleBelow(*ui, cell, grid.role_height, cell.width + grid.gap, *role);
    }
    if (off != nullptr && !CutsInView(ui->state, index).empty()) {
      DrawCutMark(*ui, cell);
    }
    if (off != nullptr && IsHeadOff(ui->state, index)) {
      DrawOffMark(*ui, cell);
    } else if (off != nullptr && IsChangedBy({index.part, index.layer}, *off)) {
      DrawChangedMark(*ui, cell, !AwaitsLayerWithout(ui->state, {index.part, index.layer}));
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
  if (as_lines) {
    PlaceStrokes(ui, Panel::kMiddle, std::move(strokes), grid.cells, &ui->memory->grid_strokes);
  }
}

// `is_small`: a cell of the thumbnail is less than a pixel.
std::string TooltipOf(const Ui& ui, HeadIndex head, bool is_small) {
  std::string text = HeadName(head);
  if (const HeadFlag* flag = FindFlag(FlagsInView(ui.state), head)) {
    text += " · " + flag->role;
    text += flag->note.empty() ? "" : ": " + Beginning(flag->note, 240);
  }
  const HeadSuggestions suggestions = SuggestionsInView(ui.state);
  for (const Suggestion* one : suggestions.Of(head)) {
    const RelationOfId pair = one->direction.empty() ? RelationOfId() : ReadRelationId(one->metric);
    text += fmt::format(
        "\nsuggested: {}{} ({})",
        one->role,
        one->direction.empty() ? "" : ", " + RelationLabel(pair.relation, pair.direction),
        one->from.empty() ? VerdictName(one->verdict) : "from " + one->from);
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
  } else if (view.layer != nullptr && is_small && !ui.state.head_look.lines_in_grid) {
    text += "\na pixel shows the largest of the weights under it";
  }
  if (ui.state.head_look.lines_in_grid) {
    text += "\nlines: queries left, keys right; the largest up to 90 % of each row, 96 at most";
  }
  const HeadsOff* const off = HeadsOffInView(ui.state);
  const char* const key = HasParts(ui.state) ? "Del" : "X";  // there X begins a head's name
  if (IsHeadOff(ui.state, head)) {
    text += fmt::format("\noff: what it writes is replaced in every row ({} puts it back)", key);
  } else if (off != nullptr && IsChangedBy({head.part, head.layer}, *off)) {
    text += "\nthis map is computed without " + HeadsOffWords(ui.state, *off);
  } else if (WhyNoHeadsOff(ui.state).empty()) {
    text += fmt::format("\n{} takes it away", key);
  }
  for (const CutEdge& edge : CutsInView(ui.state, head)) {
    text += "\ncut: " + EdgeWords(ui.state, edge);
  }
  const bool locked = ui.state.selection.head_locked && ui.state.selection.head == head;
  return text + (locked ? "\nkept (Esc releases)" : "\nclick to keep");
}

void Reveal(Ui* ui, const ShownGrid& shown, float sx, float sy) {
  const Selection& selection = ui->state.selection;
  if (const std::optional<std::size_t> index = shown.IndexOf(selection.head)) {
    RevealHead(ui,
               {.view = "heads",
                .head = selection.head,
                .cell = shown.layout.Cell(shown.PlaceOf(*index), sx, sy),
                .seen = shown.layout.view,
                .is_chosen = selection.head_locked});
  }
}

// Filters that let nothing through: what they are, and the way back.
void DrawNoHeads(Ui* ui, const Rect& area) {
  const HeadScanReport* const roles = RolesInView(ui->state);
  const bool is_scanned = roles != nullptr && roles->is_whole();
  const bool asks_scan =
      !is_scanned && (!ui->state.grid_look.role.empty() || ui->state.heads_look.only.has_value());
  std::string words = fmt::format("No head is left by the filters: {}.", GridLookWords(ui->state));
  if (asks_scan) {
    words += " No role is suggested yet: the heads of this model have not been scanned to the end.";
  }
  Pen pen = DrawWordsInstead(ui, area, words);
  pen.Skip(12.0F);
  Row row = pen.Line(28.0F);
  if (row.Button("all heads",
                 {.text = "Show all heads", .tooltip = "Layers and heads, as they are"})) {
    ui->Do(SetGridLook{});
    ui->Do(ShowOnly{});
  }
  row.Skip(8.0F);
  if (asks_scan &&
      row.Button("scan heads",
                 {.text = "Scan them",
                  .tooltip = "Opens Heads, which scans at once and shows as it goes"})) {
    ui->Do(SetScreen{&ScreenNamed("heads").kind});
  }
}

}  // namespace

void DrawGrid(Ui* ui, const Rect& middle) {
  Rect area = middle;
  for (const auto draw : {DrawHeadsOff, DrawDoors, DrawRoleLegend}) {
    const float height = draw(ui, area);
    area.y += height;
    area.height = std::max(0.0F, area.height - height);
  }
  const LayerView view = SelectedLayer(ui->state);
  const AttentionShape shape = view.layer != nullptr ? view.layer->shape() : AttentionShape{};
  ShownGrid shown{.layout = {},
                  .is_plain = IsPlainGrid(ui->state),
                  .heads = GridHeads(ui->state),
                  .layers = LayersInView(ui->state),
                  .scores = {}};
  shown.scores = GridScoreTexts(ui->state, shown.heads);
  if (!shown.is_plain && shown.heads.empty()) {
    ui->memory->grid_columns = 0;
    DrawNoHeads(ui, area);
    return;
  }
  const auto count = static_cast<std::int64_t>(shown.heads.size());
  shown.layout = LayOutGrid({.area = area,
                             .visible = ui->layout.middle_visible,
                             .layers = shown.is_plain ? std::ssize(shown.layers) : 1,
                             .heads = shown.is_plain ? ShownHeads(ui->state) : count,
                             .part = PartInView(ui->state),
                             .in_lines = !shown.is_plain,
                             .aspect = static_cast<float>(std::max<std::int64_t>(1, shape.keys)) /
                                       static_cast<float>(std::max<std::int64_t>(1, shape.queries)),
                             .scale = ui->scale,
                             .bar = ImGui::GetStyle().ScrollbarSize});
  const GridLayout& grid = shown.layout;
  ui->memory->grid_columns = shown.is_plain ? 0 : grid.heads;
  if (grid.layers == 0 || grid.view.width < 2.0F || grid.view.height < 2.0F) {
    return;
  }
  BeginScroll("grid", grid.view, true);
  ImGui::Dummy({grid.content_width, grid.content_height});
  const float sx = ImGui::GetScrollX();
  const float sy = ImGui::GetScrollY();
  Reveal(ui, shown, sx, sy);
  PlaceThumbnails(ui, shown, sx, sy);
  const Pressed area_state =
      Area(ui,
           "heads",
           {grid.view.x - sx, grid.view.y - sy, grid.content_width, grid.content_height},
           "");
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const std::optional<HeadIndex> pointed =
      area_state.hovered ? shown.At(mouse.x, mouse.y, sx, sy) : std::nullopt;
  ui->memory->pointed_head = pointed;
  PreviewHead(ui, pointed, area_state.clicked);
  if (pointed) {
    const auto item = static_cast<std::uint32_t>(1000000 + pointed->layer * ShownHeads(ui->state) +
                                                 pointed->head);
    const bool is_small = grid.cell_width < static_cast<float>(shape.keys) ||
                          grid.cell_height < static_cast<float>(shape.queries);
    const std::string words = TooltipOf(*ui, *pointed, is_small);
    TooltipForItem(ui, item, true, words);
    const std::optional<std::size_t> index = shown.IndexOf(*pointed);
    if (ui->state.selection.head_locked && *pointed != ui->state.selection.head && index) {
      FrameRect(*ui, grid.Cell(shown.PlaceOf(*index), sx, sy), ui->colors().muted, 3.0F, 1.0F);
    }
  }
  EndScroll();
  if (shown.is_plain) {
    DrawNames(ui, area, grid, sx, sy);
  }
}

}  // namespace headscope
