// The selected head of a cut beside its parent, or beside any that is pinned.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/counts/tree_words.h"
#include "app/views/counts/cells.h"
#include "app/views/counts/layout.h"
#include "app/views/counts/panels.h"
#include "app/views/kit/detail_header.h"
#include "app/views/maps/big_map.h"
#include "app/views/maps/map_textures.h"

namespace headscope {
namespace {

// Above a map stand its name, a mark in the accent colour, and below them what it is about.
void DrawMapCaption(Pen* pen,
                    const std::string& name,
                    std::string_view mark,
                    const std::string& about) {
  const ThemeColors& colors = pen->ui->colors();
  Row row = pen->TopLine(20.0F);
  row.Text(name, Type::kBold, colors.text);
  row.Skip(6.0F);
  row.Text(mark, Type::kBody, colors.accent);
  pen->Text(about, Type::kSmall, colors.muted, 20.0F);
}

void DrawCaptionOfHead(Pen* pen, TreeHead head) {
  const SplitResult& result = *pen->ui->state.counts.result;
  const SplitCount& count = result.counts[head.row];
  const std::vector<std::int32_t> columns = count.attention->columns(head.head);
  DrawMapCaption(pen,
                 CutName(count, head.head),
                 result.IsTrained(count) ? "trained" : "",
                 fmt::format("{}, dₖ {}", ColumnWords(columns), columns.size()));
}

// A map that shares the pointer with all others on the screen.
struct SharedMap {
  const char* id;
  MapHandle map = 0;
  ColorScale scale;
  std::string words;
};
// A map takes a square of that side, or less of it; returns where it stands.
Rect DrawSharedMap(Pen* pen, float side, bool dimmed, const SharedMap& map) {
  Ui* const ui = pen->ui;
  const AttentionShape& shape = ui->state.counts.source->shape();
  const Rect shaped = ShapeOfMap({0.0F, 0.0F, side, side}, shape.queries, shape.keys);
  const Rect target{pen->x, pen->y, shaped.width, shaped.height};
  pen->y += target.height;
  SceneRegion& region = ui->region(Panel::kDetail);
  if (map.map != 0) {
    region.maps.push_back(
        {.map = map.map, .target = target, .source = {}, .scale = map.scale, .dimmed = dimmed});
  } else {
    region.fills.push_back({target, ui->colors().raised});
  }
  const auto point = Within(ui->state.selection.point, shape.queries, shape.keys);
  if (point) {
    MarkCell(*ui, target, shape.queries, shape.keys, *point);
  }
  const Pressed area = Area(ui, map.id, target, map.words);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto cell =
      area.hovered ? CellUnder(target, mouse.x, mouse.y, shape.queries, shape.keys) : std::nullopt;
  if (cell) {
    const MapPoint at{.query = cell->query, .key = cell->key};
    PointAt(ui, at);
    if (area.clicked) {
      ui->Do(ClickCell{at});
    }
  }
  return target;
}

// −0.43 … 0 … +0.43, with the colours between.
void DrawDifferenceBar(Pen* pen, double largest) {
  const Ui& ui = *pen->ui;
  const ThemeColors& colors = ui.colors();
  Row row = pen->TopLine(28.0F);
  row.Text(fmt::format("−{:.2g}", largest), Type::kMonoSmall, colors.muted);
  row.Skip(6.0F);
  row.TextRight(fmt::format("+{:.2g}", largest), Type::kMonoSmall, colors.muted);
  row.SkipRight(6.0F);
  const Rect bar{
      row.rest().x, row.rest().y + ui.Px(4.0F), std::max(1.0F, row.rest().width), ui.Px(8.0F)};
  FillGradient(bar, ColormapTable(Colormap::kDiverging, ui.state.theme), 64);
  const float zero = bar.x + bar.width / 2.0F;
  DrawText(ui,
           zero - TextWidth(ui, "0", Type::kMonoSmall) / 2.0F,
           bar.y + bar.height + ui.Px(1.0F),
           "0",
           Type::kMonoSmall,
           colors.dim);
}

std::string CellTooltip(const Ui& ui, const MapView& map) {
  const auto& point = ui.state.selection.point;
  if (!point || !point->key) {
    return "a click holds the cell";
  }
  return CellName(ui.state, *point->cell()) + WeightWords(map, *point->cell()) +
         "\na click holds the cell";
}

}  // namespace

std::string NameOf(const AppState& state, TreeHead head) {
  return CutName(state.counts.result->counts[head.row], head.head);
}

PairBeside PairOf(const AppState& state, TreeHead beside) {
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  const bool is_pinned = state.tree.pinned && FindInTree(state, *state.tree.pinned) == beside;
  return {.own = {chosen->count, chosen->head}, .beside = beside, .is_pinned = is_pinned};
}

void MakeDifference(TreeMemory* memory, const MapView& own, const MapView& beside) {
  if (memory->difference != nullptr && memory->one == own && memory->two == beside) {
    return;
  }
  const std::vector<float>& mine = CountCells(own);
  const std::vector<float>& other = CountCells(beside);
  auto cells = std::make_shared<DrawnCells>();
  cells->rows = own.thumbnail().rows;
  cells->cols = own.thumbnail().cols;
  float largest = 0.0F;
  for (std::size_t i = 0; i < mine.size(); ++i) {
    if (mine[i] >= 0.0F) {
      largest = std::max(largest, std::abs(mine[i] - other[i]));
    }
  }
  for (std::size_t i = 0; i < mine.size(); ++i) {
    const float part = largest > 0.0F ? (mine[i] - other[i]) / largest : 0.0F;
    cells->values.push_back(mine[i] < 0.0F ? kMasked : 0.5F + 0.5F * part);
  }
  *memory = {.one = own,
             .two = beside,
             .difference = std::move(cells),
             .largest = static_cast<double>(largest)};
}

void DrawBesideSwitch(Pen* pen) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const HeadTreeState& tree = state.tree;
  const std::optional<TreeHead> beside = HeadBeside(state);
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  Row row = pen->Line(28.0F);
  if (beside) {
    const bool is_pinned = PairOf(state, *beside).is_pinned;
    const std::string name =
        is_pinned ? "beside " + NameOf(state, *beside) : std::string("beside its parent");
    const std::array<SegmentChoice, 2> choices = {{
        {name, "Two maps, their difference, and what adds up"},
        {"in full", "This map alone, with its tokens and numbers"},
    }};
    const Rect place = row.Left(SegmentsWidth(*ui, choices));
    Choose<ShowInFull>(ui, "beside", place, choices, tree.is_in_full);
    row.Skip(8.0F);
  }
  const CountHead own{.heads = state.counts.result->counts[chosen->count].heads,
                      .head = chosen->head};
  const bool is_own = tree.pinned == own;
  const bool unpins = tree.pinned && !is_own && beside;
  const ButtonLook look{
      .text = unpins   ? "back to its parent"
              : is_own ? "pinned: choose another"
                       : "pin to compare",
      .tooltip = unpins   ? "Compare with the parent again"
                 : is_own ? "Every head that you choose now stands beside this one; click to unpin"
                          : "Keep this map to compare others with: any two maps, side by side",
      .active = is_own};
  const bool has_room = !beside || ButtonWidth(*ui, look) <= row.rest().width;
  if (has_room && row.Button("pin", look)) {
    ui->Do(PinCount{unpins || is_own ? std::nullopt : std::optional(own)});
  }
}

void DrawBeside(Pen* pen, TreeHead beside, bool dimmed) {
  Ui* const ui = pen->ui;
  const AppState& state = ui->state;
  const PairBeside pair = PairOf(state, beside);
  const MapView own = MapOf(state, pair.own);
  const MapView other = MapOf(state, pair.beside);
  const AttentionShape& shape = state.counts.source->shape();
  const float gap = ui->Px(16.0F);
  const float column = std::max(1.0F, (pen->width - gap) / 2.0F);
  const float tall = (ui->layout.detail.height - ui->Px(560.0F)) / 2.0F;
  const float side = std::floor(std::min(column, std::max(ui->Px(150.0F), tall)));
  Pen left = pen->Part(0.0F, column);
  Pen right = pen->Part(column + gap, column);
  const auto draw = [&](Pen* at, const char* id, TreeHead head) {
    const MapView map = MapOf(state, head);
    DrawCaptionOfHead(at, head);
    DrawSharedMap(at,
                  side,
                  dimmed,
                  {.id = id,
                   .map = ui->maps->Thumbnail(map, kCountPooling),
                   .scale = ScaleOfCount(state, map),
                   .words = CellTooltip(*ui, map)});
  };
  draw(&left, "map beside", pair.beside);
  draw(&right, "map own", pair.own);
  pen->y = left.y;
  pen->Skip(8.0F);
  DrawColourBar(pen, ScaleOfCount(state, own), own.has_masked());
  pen->Skip(10.0F);
  const std::string pooled = PooledWords(shape.queries, shape.keys, kThumbnailSize);
  if (!pooled.empty()) {
    pen->Small(pooled, ui->colors().muted);
    pen->Skip(8.0F);
  }
  MakeDifference(&ui->memory->tree, own, other);
  const TreeMemory& difference = ui->memory->tree;
  const std::shared_ptr<const DrawnCells>& cells = difference.difference;
  left.y = right.y = pen->y;
  DrawMapCaption(&left,
                 "difference",
                 "",
                 pooled.empty() ? "right − left" : "right − left, of the largest weights");
  DrawSeen(&right, pair);
  const Rect map = DrawSharedMap(
      &left,
      side,
      dimmed,
      {.id = "map difference",
       .map = ui->maps->Values(cells, 0, cells->rows, cells->cols, cells->values),
       .scale = {.curve = Curve::kLinear,
                 .range = RangeMode::kFixed,
                 .low = 0.0F,
                 .high = 1.0F,
                 .colormap = Colormap::kDiverging},
       .words = "blue: less than in the left map; red: more; a click holds the cell"});
  left.Skip(6.0F);
  Pen below = left.Part(0.0F, map.width);
  DrawDifferenceBar(&below, difference.largest);
  pen->y = std::max(below.y, right.y);
}

}  // namespace headscope
