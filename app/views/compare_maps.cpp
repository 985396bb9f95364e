// A pair of heads: side by side, one over the other with a divider, or what lies between them.
// Zoom, cross-hair, selection and scale are one for both.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/cell_words.h"
#include "app/views/big_map.h"
#include "app/views/compare_panels.h"
#include "app/views/map_panel.h"
#include "app/views/map_textures.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 3> kCompareMapsViews = {{
    {"Side by side", "Both maps, with one zoom and one cross-hair (W shows the next way)"},
    {"Swipe", "One over the other: drag the line; A at its left, B at its right (W)"},
    {"Difference", "B less A, around 0 (W)"},
}};

// The scale of both sides.
ColorScale ScaleOfPair(const AppState& state, const ComparedHeads& pair) {
  const MapSettings& settings = state.settings;
  const ComparedPair& result = *state.compare.result;
  ColorScale scale{.curve = settings.curve, .range = settings.range, .colormap = settings.colormap};
  float largest = 0.0F;
  for (const LayerComparison& layer : result.comparison.layers) {
    const auto& a = result.LayerA(layer.layer);
    const auto& b = result.LayerB(layer.layer);
    if (settings.range == RangeMode::kGlobal) {
      largest = std::max({largest, a->largest(), b->largest()});
    } else if (layer.layer == pair.head.layer) {
      largest = settings.range == RangeMode::kLayer
                    ? std::max(a->largest(), b->largest())
                    : std::max(a->largest(pair.head.head), b->largest(*pair.other));
    }
  }
  return MeasuredScale(scale, largest);
}

// Of the difference's distance from 0.
ColorScale ScaleOfDifference(const AppState& state, const PairMaps& maps) {
  ColorScale scale{.curve = state.settings.curve};
  scale.high =
      state.settings.range == RangeMode::kFixed || maps.furthest <= 0.0F ? 1.0F : maps.furthest;
  return scale;
}

MapHandle HandleOfDifference(Ui* ui,
                             CompareDrawing* drawing,
                             const std::shared_ptr<const PairMaps>& maps,
                             const ColorScale& scale) {
  if (drawing->maps != maps || drawing->scale != scale || drawing->positions == nullptr) {
    auto positions = std::make_shared<std::vector<float>>(maps->difference);
    for (float& value : *positions) {
      value = value == kNoDifference
                  ? kMasked
                  : 0.5F + std::copysign(0.5F * Position(scale, std::abs(value)), value);
    }
    drawing->maps = maps;
    drawing->scale = scale;
    drawing->positions = std::move(positions);
  }
  return ui->maps->Values(drawing->positions, 0, maps->rows, maps->cols, *drawing->positions);
}

// Part [from, to) of the shown width of a map.
void PlacePart(const Ui& ui,
               const MapGeometry& geometry,
               const PairMaps& maps,
               MapHandle handle,
               const ColorScale& scale,
               float from,
               float to) {
  if (handle == 0) {
    SceneRegion& region = ui.region(Panel::kMiddle);
    const Rect& clip = region.maps_clip == Rect{} ? region.rect : region.maps_clip;
    region.fills.push_back({Intersection(geometry.target, clip), ui.colors().raised});
    return;
  }
  Rect source = geometry.Source();
  const auto cell = static_cast<float>(maps.places);
  source = {(source.x - static_cast<float>(maps.of.first_col)) / cell,
            (source.y - static_cast<float>(maps.of.first_row)) / cell,
            source.width / cell,
            source.height / cell};
  Rect target = geometry.target;
  const float left = std::round(target.width * from);
  const float right = std::round(target.width * to);
  if (right - left < 1.0F) {
    return;
  }
  source.x += source.width * left / target.width;
  source.width *= (right - left) / target.width;
  target.x += left;
  target.width = right - left;
  MapPlacement placement;
  placement.map = handle;
  placement.target = target;
  placement.source = source;
  placement.scale = scale;
  placement.dimmed = !IsCompared(ui.state);
  ui.region(Panel::kMiddle).maps.push_back(placement);
}

std::string CellText(float weight) {
  return weight < 0.0F ? "masked" : WeightText(weight);
}

// Both weights and the difference, exact.
void DrawPlaceTooltip(Ui* ui, const CompareDrawing& drawing, CellIndex cell) {
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
                       ui->state.compare.point_locked ? "; click or Esc unlocks" : "; click locks");
  ImGui::BeginTooltip();
  TooltipText(ui, words);
  ImGui::EndTooltip();
}

// What the pointer does on a map; the same on both.
void HandlePointerInCompareMaps(Ui* ui,
                                const char* id,
                                const MapGeometry& geometry,
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
    DrawPlaceTooltip(ui, *drawing, is_locked ? *compare.point->cell() : *cell);
  }
}

// The places of both on the axes, and room for them; `title` stands over the map.
// `has_rows`: else the rows' names stand at a map to its left.
MapGeometry DrawFrameInCompareMaps(Ui* ui,
                                   const Rect& area,
                                   const CompareDrawing& drawing,
                                   std::string_view title,
                                   bool has_rows = true) {
  BigMap labels;
  labels.query_tokens = drawing.queries.get();
  labels.key_tokens = drawing.keys.get();
  labels.query = drawing.query;
  labels.point = ui->state.compare.point;
  AxisRoom room = RoomForLabels(*ui, labels);
  room.left = has_rows ? room.left : 0.0F;
  const float line = LineHeight(*ui, Type::kBold) + ui->Px(4.0F);
  const Rect inner{area.x + room.left,
                   area.y + room.top + line,
                   std::max(ui->Px(60.0F), area.width - room.left - room.right),
                   std::max(ui->Px(60.0F), area.height - room.top - line)};
  const Rect zoomed{inner.x, inner.y, std::max(inner.width, area.width - room.left), inner.height};
  const MapGeometry geometry = PlaceMap({inner, zoomed},
                                        drawing.pair->queries.size(),
                                        drawing.pair->keys.size(),
                                        ui->state.selection.zoom);
  if (has_rows && geometry.size != ui->state.maps.size) {
    ui->Do(MapDrawn{geometry.size});
  }
  DrawText(*ui, area.x, area.y, title, Type::kBold, ui->colors().text, area.width);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float left = has_rows ? area.x : geometry.target.x;
  list->PushClipRect(
      {left, area.y}, {area.x + area.width + ui->Px(14.0F), area.y + area.height}, true);
  DrawAxisLabels(*ui, geometry, labels);
  list->PopClipRect();
  return geometry;
}

// Where two maps stand beside each other and there is room: the names of the rows stand once, at the
// left one, which is wider by as much.
bool GiveRowNames(const Ui& ui, const CompareDrawing& drawing, PairLayout* layout) {
  BigMap labels;
  labels.query_tokens = drawing.queries.get();
  labels.key_tokens = drawing.keys.get();
  const float left = RoomForLabels(ui, labels).left;
  const float wider = left / 2.0F;
  if (layout->first.y != layout->second.y ||
      !HasNamesOnce(layout->second.width, {.has_two = true, .left = left})) {
    return false;
  }
  layout->first.width += wider;
  layout->second.x += wider;
  layout->second.width -= wider;
  return true;
}

void Finish(Ui* ui, const char* id, const MapGeometry& geometry, CompareDrawing* drawing) {
  drawing->map_rects.push_back(geometry.target);
  if (const auto& point = ui->state.compare.point) {
    DrawCrossHair(*ui, geometry, *point);
  }
  HandlePointerInCompareMaps(ui, id, geometry, drawing);
}

void DrawDivider(const Ui& ui, const MapGeometry& geometry) {
  const Rect& target = geometry.target;
  const float x = std::round(target.x + target.width * ui.state.compare.look.divider);
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const std::uint32_t ink = ToImGui(ui.colors().accent);
  list->AddLine({x, target.y}, {x, target.y + target.height}, ink, ui.Px(2.0F));
  const float middle = target.y + target.height / 2.0F;
  list->AddCircleFilled({x, middle}, ui.Px(9.0F), ink);
  const Rgb on = ReadableOn(ui, ui.colors().accent);
  DrawText(
      ui, x - ui.Px(6.0F), middle - LineHeight(ui, Type::kSmall) / 2.0F, "↔", Type::kSmall, on);
}

void DrawDifferenceBarInCompareMaps(const Ui& ui, const Rect& area, const ColorScale& scale) {
  const ThemeColors& colors = ui.colors();
  const float line = LineHeight(ui, Type::kMono);
  const std::string low = fmt::format("−{:.3g}", scale.high);
  const std::string high = fmt::format("+{:.3g}", scale.high);
  float x = area.x + DrawText(ui, area.x, area.y, low, Type::kMono, colors.muted) + ui.Px(8.0F);
  const float bar = std::clamp(area.width * 0.3F, ui.Px(60.0F), ui.Px(220.0F));
  FillGradient({x, area.y + line / 2.0F - ui.Px(5.0F), bar, ui.Px(9.0F)},
               ColormapTable(Colormap::kDiverging, ui.state.theme),
               64);
  const float zero = x + bar / 2.0F;
  DrawText(ui,
           zero - TextWidth(ui, "0", Type::kMonoSmall) / 2.0F,
           area.y + line / 2.0F + ui.Px(5.0F),
           "0",
           Type::kMonoSmall,
           colors.dim);
  x += bar + ui.Px(8.0F);
  x += DrawText(ui, x, area.y, high, Type::kMono, colors.muted) + ui.Px(14.0F);
  const std::string words = fmt::format("left: A attends more, right: B; {} on either side",
                                        scale.curve == Curve::kLinear ? "linear"
                                        : scale.curve == Curve::kSqrt ? "square root"
                                                                      : "logarithm");
  DrawText(ui, x, area.y, words, Type::kSmall, colors.muted, area.x + area.width - x);
}

// Which rows and columns one side alone has, and what is pooled.
std::string NoteOf(const ComparedPair& pair, const PairMaps& maps) {
  std::string note;
  if (pair.queries.only_a + pair.queries.only_b > 0) {
    note = fmt::format("{} of A and {} of B stand on one side only: (A), (B). ",
                       pair.queries.only_a,
                       pair.queries.only_b);
  }
  if (maps.places > 1) {
    note += fmt::format(
        "Each cell is the mean of {0} × {0} weights, of the difference the furthest from 0; the "
        "numbers are exact.",
        maps.places);
  }
  return note;
}

void DrawHeader(Ui* ui, const Rect& header, const ComparedHeads& pair) {
  const float height = ui->Px(28.0F);
  const float y = header.y + (header.height - height) / 2.0F;
  const float segments = SegmentsWidth(*ui, kCompareMapsViews);
  CompareLook look = ui->state.compare.look;
  float right = header.x + header.width - segments;
  const int pressed = Segments(ui,
                               "compare view",
                               {right, y, segments, height},
                               kCompareMapsViews,
                               static_cast<int>(look.view));
  if (pressed >= 0) {
    look.view = static_cast<CompareView>(pressed);
    ui->Do(SetCompareLook{look});
  }
  right -= ui->Px(8.0F);
  right -= DrawFit(ui, right, y + (height - PillHeight(*ui)) / 2.0F);
  if (right - header.x < TextWidth(*ui, NameOfPair(pair), Type::kBold)) {
    return;
  }
  const float name = DrawTextIn(*ui,
                                {header.x, header.y, 0.0F, header.height},
                                NameOfPair(pair),
                                Type::kBold,
                                ui->colors().text,
                                std::max(1.0F, right - header.x));
  const float left = header.x + name + ui->Px(12.0F);
  if (right - left > ui->Px(40.0F)) {
    DrawTextIn(*ui,
               {left, header.y, right - left, header.height},
               DivergenceText(pair) + (pair.by_hand ? ", by hand" : ""),
               Type::kMono,
               ui->colors().muted,
               right - left);
  }
}

// The furthest that a side's name may go over its map.
std::string SideTitle(const char* letter, const std::string& name, HeadIndex head) {
  return fmt::format("{}  {}  {}", letter, HeadName(head), name);
}

}  // namespace

PairWish WishOfPair(Ui* ui) {
  const CompareDrawing& drawing = DrawingOf(ui);
  BigMap labels;
  labels.query_tokens = drawing.queries.get();
  labels.key_tokens = drawing.keys.get();
  const AxisRoom room = RoomForLabels(*ui, labels);
  return {.has_two = ui->state.compare.look.view == CompareView::kBeside,
          .left = room.left,
          .right = room.right,
          .top = room.top + LineHeight(*ui, Type::kBold) + ui->Px(4.0F)};
}

void DrawComparedPair(Ui* ui, const Rect& area) {
  const AppState& state = ui->state;
  const ThemeColors& colors = ui->colors();
  const ComparedHeads pair = SelectedPair(state);
  const PairLayout layout = LayOutPair(area, WishOfPair(ui), ui->scale);
  if (layout.first.width < ui->Px(40.0F) || layout.first.height < ui->Px(40.0F)) {
    return;
  }
  CompareDrawing& drawing = DrawingOf(ui);
  drawing.map_rects.clear();
  DrawHeader(ui, layout.header, pair);
  if (!TellRow(ui, &drawing)) {
    DrawParagraph(*ui,
                  layout.first.x,
                  layout.first.y + ui->Px(8.0F),
                  layout.first.width,
                  pair.layer == nullptr
                      ? "Side B has no such layer."
                      : "This head has no partner: side B has fewer heads in a layer. Click one of "
                        "B's heads at the right to pair them by hand.",
                  Type::kBody,
                  colors.muted);
    return;
  }
  const std::shared_ptr<const PairMaps> maps = MapsInView(state);
  if (maps == nullptr) {
    return;  // on its way
  }
  ui->memory->pointing = false;
  const ColorScale scale = ScaleOfPair(state, pair);
  const MapHandle a = ui->maps->Values(maps, 0, maps->rows, maps->cols, maps->a);
  const MapHandle b = ui->maps->Values(maps, 1, maps->rows, maps->cols, maps->b);
  const HeadIndex other{pair.head.layer, *pair.other, pair.head.part};
  Rect footer = layout.footer;
  footer.y += ui->Px(10.0F);
  switch (state.compare.look.view) {
    case CompareView::kBeside: {
      PairLayout two = layout;
      const bool has_names_once = GiveRowNames(*ui, drawing, &two);
      const MapGeometry first =
          DrawFrameInCompareMaps(ui, two.first, drawing, SideTitle("A", NameOfA(state), pair.head));
      const MapGeometry second = DrawFrameInCompareMaps(
          ui, two.second, drawing, SideTitle("B", NameOfB(state), other), !has_names_once);
      PlacePart(*ui, first, *maps, a, scale, 0.0F, 1.0F);
      PlacePart(*ui, second, *maps, b, scale, 0.0F, 1.0F);
      Finish(ui, "map of A", first, &drawing);
      Finish(ui, "map of B", second, &drawing);
      footer.y = std::min(footer.y, second.target.y + second.target.height + ui->Px(12.0F));
      break;
    }
    case CompareView::kSwipe: {
      const float divider = state.compare.look.divider;
      const MapGeometry both = DrawFrameInCompareMaps(
          ui,
          layout.first,
          drawing,
          fmt::format("A  {}    |    B  {}", NameOfA(state), NameOfB(state)));
      PlacePart(*ui, both, *maps, a, scale, 0.0F, divider);
      PlacePart(*ui, both, *maps, b, scale, divider, 1.0F);
      Finish(ui, "swiped map", both, &drawing);
      DrawDivider(*ui, both);
      footer.y = std::min(footer.y, both.target.y + both.target.height + ui->Px(12.0F));
      break;
    }
    case CompareView::kDifference: {
      const ColorScale difference = ScaleOfDifference(state, *state.compare.maps);
      const MapHandle handle = HandleOfDifference(ui, &drawing, maps, difference);
      const MapGeometry both = DrawFrameInCompareMaps(
          ui,
          layout.first,
          drawing,
          fmt::format("B less A: {} less {}", NameOfB(state), NameOfA(state)));
      PlacePart(*ui,
                both,
                *maps,
                handle,
                {.curve = Curve::kLinear, .colormap = Colormap::kDiverging},
                0.0F,
                1.0F);
      Finish(ui, "map of the difference", both, &drawing);
      footer.y = std::min(footer.y, both.target.y + both.target.height + ui->Px(12.0F));
      DrawDifferenceBarInCompareMaps(*ui, footer, difference);
      footer.y += ui->Px(30.0F);
      break;
    }
  }
  if (state.compare.look.view != CompareView::kDifference) {
    footer.y += DrawColourBar(*ui, footer.x, footer.y, footer.width, scale, true);
  }
  const std::string note = NoteOf(*drawing.pair, *maps);
  if (!note.empty()) {
    DrawParagraph(*ui, footer.x, footer.y, footer.width, note, Type::kSmall, colors.dim, 2);
  }
  if (!ui->memory->pointing && !state.compare.point_locked && state.compare.point) {
    ui->Do(PointPlace{});
  }
}

}  // namespace headscope
