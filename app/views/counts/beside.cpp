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
#include "app/views/counts/words.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "app/views/maps/map_textures.h"

namespace headscope {
namespace {

struct CountsBesideCaption {
  std::string name;
  std::string mark;  // in the accent colour
  std::string about;
};

float DrawCaptionInCountsBeside(
    const Ui& ui, float x, float y, float width, const CountsBesideCaption& caption) {
  const ThemeColors& colors = ui.colors();
  const float used = DrawText(ui, x, y, caption.name, Type::kBold, colors.text, width);
  if (!caption.mark.empty()) {
    DrawText(ui, x + used + ui.Px(6.0F), y, caption.mark, Type::kBody, colors.accent);
  }
  DrawText(ui, x, y + ui.Px(20.0F), caption.about, Type::kSmall, colors.muted, width);
  return ui.Px(40.0F);
}

// A map that shares the pointer with all others on the screen.
void DrawSharedMap(Ui* ui, const char* id, const MapPlacement& map, const std::string& words) {
  const AttentionShape& shape = ui->state.counts.source->shape();
  const Rect& target = map.target;
  SceneRegion& region = ui->region(Panel::kDetail);
  if (map.map != 0) {
    region.maps.push_back(map);
  } else {
    region.fills.push_back({target, ui->colors().raised});
  }
  const auto point = Within(ui->state.selection.point, shape.queries, shape.keys);
  if (point) {
    MarkCell(*ui, target, shape.queries, shape.keys, *point);
  }
  const Pressed area = Area(ui, id, target, words);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto cell =
      area.hovered ? CellUnder(target, mouse.x, mouse.y, shape.queries, shape.keys) : std::nullopt;
  if (!cell) {
    return;
  }
  const MapPoint at{.query = cell->query, .key = cell->key};
  PointAt(ui, at);
  if (area.clicked) {
    ui->Do(ClickCell{at});
  }
}

CountsBesideCaption CountsBesideCaptionOf(const AppState& state,
                                          TreeHead head,
                                          const std::string& mark) {
  const SplitCount& count = state.counts.result->counts[head.row];
  const std::vector<std::int32_t> columns = count.attention->columns(head.head);
  return {.name = CutName(count, head.head),
          .mark = mark,
          .about = fmt::format("{}, dₖ {}", ColumnWords(columns), columns.size())};
}

// −0.43 … 0 … +0.43, with the colours between.
float DrawDifferenceBar(const Ui& ui, float x, float y, float width, double largest) {
  const ThemeColors& colors = ui.colors();
  const std::string low = fmt::format("−{:.2g}", largest);
  const std::string high = fmt::format("+{:.2g}", largest);
  const float left = DrawText(ui, x, y, low, Type::kMonoSmall, colors.muted) + ui.Px(6.0F);
  const float right = TextWidth(ui, high, Type::kMonoSmall) + ui.Px(6.0F);
  const Rect bar{x + left, y + ui.Px(4.0F), std::max(1.0F, width - left - right), ui.Px(8.0F)};
  FillGradient(bar, ColormapTable(Colormap::kDiverging, ui.state.theme), 64);
  DrawText(ui, bar.x + bar.width + ui.Px(6.0F), y, high, Type::kMonoSmall, colors.muted);
  const float zero = bar.x + bar.width / 2.0F;
  DrawText(ui,
           zero - TextWidth(ui, "0", Type::kMonoSmall) / 2.0F,
           bar.y + bar.height + ui.Px(1.0F),
           "0",
           Type::kMonoSmall,
           colors.dim);
  return ui.Px(28.0F);
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

float DrawBesideSwitch(Ui* ui, float x, float y, float width) {
  const AppState& state = ui->state;
  const HeadTreeState& tree = state.tree;
  const std::optional<TreeHead> beside = HeadBeside(state);
  const std::optional<ChosenCount> chosen = ChosenOf(state);
  const float height = ui->Px(28.0F);
  float at = x;
  if (beside) {
    const bool is_pinned = PairOf(state, *beside).is_pinned;
    const std::string name =
        is_pinned ? "beside " + NameOf(state, *beside) : std::string("beside its parent");
    const std::array<SegmentChoice, 2> choices = {{
        {name, "Two maps, their difference, and what adds up"},
        {"in full", "This map alone, with its tokens and numbers"},
    }};
    const float wide = SegmentsWidth(*ui, choices);
    const int pressed =
        Segments(ui, "beside", {at, y, wide, height}, choices, tree.is_in_full ? 1 : 0);
    if (pressed >= 0) {
      ui->Do(SetTreeLook{tree.largest_first, pressed == 1, tree.is_unfolded});
    }
    at += wide + ui->Px(8.0F);
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
  const float wide = ButtonWidth(*ui, look);
  if (at + wide <= x + width || at == x) {
    if (Button(ui, "pin", {at, y, wide, height}, look)) {
      ui->Do(PinCount{unpins || is_own ? std::nullopt : std::optional(own)});
    }
  }
  return height;
}

float DrawBeside(Ui* ui, float x, float y, float width, bool dimmed) {
  const AppState& state = ui->state;
  const std::optional<TreeHead> beside = HeadBeside(state);
  if (!beside) {
    return 0.0F;
  }
  const PairBeside pair = PairOf(state, *beside);
  const MapView own = MapOf(state, pair.own);
  const MapView other = MapOf(state, pair.beside);
  const AttentionShape& shape = state.counts.source->shape();
  const float top = y;
  const float gap = ui->Px(16.0F);
  const float column = std::max(1.0F, (width - gap) / 2.0F);
  const float tall = (ui->layout.detail.height - ui->Px(560.0F)) / 2.0F;
  const float side = std::floor(std::min(column, std::max(ui->Px(150.0F), tall)));
  const SplitResult& result = *state.counts.result;
  const auto mark = [&result](TreeHead head, const char* else_mark) {
    return std::string(result.IsTrained(result.counts[head.row]) ? "trained" : else_mark);
  };
  const float right = x + column + gap;
  const float caption = DrawCaptionInCountsBeside(
      *ui, x, y, column, CountsBesideCaptionOf(state, pair.beside, mark(pair.beside, "")));
  DrawCaptionInCountsBeside(
      *ui, right, y, column, CountsBesideCaptionOf(state, pair.own, mark(pair.own, "")));
  y += caption;
  const auto place = [&](float left, float from_top) {
    Rect rect = ShapeOfMap({left, from_top, side, side}, shape.queries, shape.keys);
    rect.x = left;
    rect.y = from_top;
    return rect;
  };
  const Rect first = place(x, y);
  DrawSharedMap(ui,
                "map beside",
                {.map = ui->maps->Thumbnail(other, kCountPooling),
                 .target = first,
                 .source = {},
                 .scale = ScaleOfCount(state, other),
                 .dimmed = dimmed},
                CellTooltip(*ui, other));
  DrawSharedMap(ui,
                "map own",
                {.map = ui->maps->Thumbnail(own, kCountPooling),
                 .target = place(right, y),
                 .source = {},
                 .scale = ScaleOfCount(state, own),
                 .dimmed = dimmed},
                CellTooltip(*ui, own));
  y += first.height + ui->Px(8.0F);
  y += DrawColourBar(*ui, x, y, width, ScaleOfCount(state, own), own.has_masked()) + ui->Px(10.0F);
  const std::string pooled = PooledWords(shape.queries, shape.keys, kThumbnailSize);
  if (!pooled.empty()) {
    y += DrawParagraph(*ui, x, y, width, pooled, Type::kSmall, ui->colors().muted) + ui->Px(8.0F);
  }
  MakeDifference(&ui->memory->tree, own, other);
  const TreeMemory& difference = ui->memory->tree;
  DrawCaptionInCountsBeside(
      *ui,
      x,
      y,
      column,
      {.name = "difference",
       .mark = {},
       .about = pooled.empty() ? "right − left" : "right − left, of the largest weights"});
  const float words = DrawSeen(ui, right, y, column, pair);
  const Rect below = place(x, y + caption);
  DrawSharedMap(ui,
                "map difference",
                {.map = ui->maps->Cells(difference.difference),
                 .target = below,
                 .source = {},
                 .scale = {.curve = Curve::kLinear,
                           .range = RangeMode::kFixed,
                           .low = 0.0F,
                           .high = 1.0F,
                           .colormap = Colormap::kDiverging},
                 .dimmed = dimmed},
                "blue: less than in the left map; red: more; a click holds the cell");
  const float bar = DrawDifferenceBar(
      *ui, x, below.y + below.height + ui->Px(6.0F), below.width, difference.largest);
  const float left_height = caption + below.height + ui->Px(6.0F) + bar;
  return y - top + std::max(left_height, words);
}

}  // namespace headscope
