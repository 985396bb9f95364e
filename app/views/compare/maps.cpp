// A pair of heads: side by side, one over the other with a divider, or what lies between them.
// Zoom, cross-hair, selection and scale are one for both.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <imgui.h>

#include "app/views/compare/panels.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "app/views/maps/map_panel.h"
#include "app/views/maps/map_textures.h"
#include "core/figure/pair_scale.h"

namespace headscope {
namespace {

constexpr std::array<SegmentChoice, 3> kCompareMapsViews = {{
    {"Side by side", "Both maps, with one zoom and one cross-hair (W shows the next way)"},
    {"Swipe", "One over the other: drag the line; A at its left, B at its right (W)"},
    {"Difference", "B − A, around 0 (W)"},
}};

// The colours that are chosen; a range that is measured is not yet.
ColorScale ChosenScale(const AppState& state) {
  return ScaleOf(state.settings);
}

MapHandle HandleOfDifference(Ui* ui,
                             CompareDrawing* drawing,
                             const std::shared_ptr<const PairMaps>& maps,
                             const ColorScale& scale) {
  if (drawing->maps != maps || drawing->scale != scale || drawing->positions == nullptr) {
    auto positions = std::make_shared<std::vector<float>>(maps->difference);
    for (float& value : *positions) {
      value = DifferencePosition(scale, value);
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
               const PairMaps* maps,
               MapHandle handle,
               const ColorScale& scale,
               float from,
               float to) {
  if (handle == 0 || maps == nullptr) {
    SceneRegion& region = ui.region(Panel::kMiddle);
    const Rect& clip = region.maps_clip == Rect{} ? region.rect : region.maps_clip;
    region.fills.push_back({Intersection(geometry.target, clip), ui.colors().raised});
    return;
  }
  Rect source = geometry.Source();
  const auto cell = static_cast<float>(maps->places);
  source = {(source.x - static_cast<float>(maps->of.first_col)) / cell,
            (source.y - static_cast<float>(maps->of.first_row)) / cell,
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

// The places of both, as a map's labels.
BigMap LabelsOfPlaces(const CompareDrawing& drawing) {
  BigMap labels;
  labels.query_tokens = drawing.queries.get();
  labels.key_tokens = drawing.keys.get();
  return labels;
}

float TitleHeight(const Ui& ui) {
  return LineHeight(ui, Type::kBold) + ui.Px(4.0F);
}

// The places of both on the axes, and room for them; `title` stands over the map.
// `has_rows`: else the rows' names stand at a map to its left.
MapGeometry DrawFrameInCompareMaps(Ui* ui,
                                   const Rect& area,
                                   const CompareDrawing& drawing,
                                   std::string_view title,
                                   bool has_rows = true) {
  BigMap labels = LabelsOfPlaces(drawing);
  labels.query = drawing.query;
  labels.point = ui->state.compare.point;
  AxisRoom room = RoomForLabels(*ui, labels);
  room.left = has_rows ? room.left : 0.0F;
  const float line = TitleHeight(*ui);
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
  const float left = RoomForLabels(ui, LabelsOfPlaces(drawing)).left;
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

void Finish(Ui* ui,
            const char* id,
            const MapGeometry& geometry,
            CompareDrawing* drawing,
            const MapGeometry* twin = nullptr) {
  drawing->map_rects.push_back(geometry.target);
  if (const auto& point = ui->state.compare.point) {
    DrawCrossHair(*ui, geometry, *point);
  }
  HandleComparePointer(ui, id, geometry, twin, drawing);
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

void DrawDifferenceBarInCompareMaps(Ui* ui, const Rect& area, const ColorScale& scale) {
  const ThemeColors& colors = ui->colors();
  const float middle = area.y + LineHeight(*ui, Type::kMono) / 2.0F;
  Row row(ui, area, true);
  row.Text(fmt::format("−{:.3g}", scale.high), Type::kMono, colors.muted);
  row.Skip(8.0F);
  const Rect bar = row.Left(std::clamp(area.width * 0.3F, ui->Px(60.0F), ui->Px(220.0F)));
  FillGradient({bar.x, middle - ui->Px(5.0F), bar.width, ui->Px(9.0F)},
               ColormapTable(Colormap::kDiverging, ui->state.theme),
               64);
  const float zero = bar.x + (bar.width - TextWidth(*ui, "0", Type::kMonoSmall)) / 2.0F;
  DrawText(*ui, zero, middle + ui->Px(5.0F), "0", Type::kMonoSmall, colors.dim);
  row.Skip(8.0F);
  row.Text(fmt::format("+{:.3g}", scale.high), Type::kMono, colors.muted);
  row.Skip(14.0F);
  row.Text(
      fmt::format("left: A attends more, right: B; {} on either side", CurveWords(scale.curve)),
      Type::kSmall,
      colors.muted);
}

// How tokens were matched, which rows and columns one side alone has, and what is pooled.
std::string NoteOf(const ComparedPair& pair, const PairMaps* maps) {
  if (maps == nullptr) {
    return "The maps of this pair are on their way.";
  }
  std::string note;
  if (const SharedAxis& axis = pair.comparison.queries; axis.is_by_words() && !axis.note.empty()) {
    note = axis.note.substr(0, axis.note.find(": ")) + ". ";  // all of it stands in the panel
  }
  if (pair.queries.only_a + pair.queries.only_b > 0) {
    note += fmt::format("{} of A and {} of B stand on one side only: (A), (B). ",
                        pair.queries.only_a,
                        pair.queries.only_b);
  }
  if (maps->places > 1) {
    note += fmt::format(
        "Each cell is the mean of {0} × {0} weights, of the difference the furthest from 0; the "
        "numbers are exact.",
        maps->places);
  }
  return note;
}

void DrawHeader(Ui* ui, const Rect& header, const ComparedHeads& pair) {
  Row row(ui, header);
  const Rect views = Inset(row.Right(SegmentsWidth(*ui, kCompareMapsViews)),
                           0.0F,
                           (header.height - ui->Px(28.0F)) / 2.0F);
  CompareLook look = ui->state.compare.look;
  const int pressed =
      Segments(ui, "compare view", views, kCompareMapsViews, static_cast<int>(look.view));
  if (pressed >= 0) {
    look.view = static_cast<CompareView>(pressed);
    ui->Do(SetCompareLook{look});
  }
  row.SkipRight(8.0F);
  row.Right(DrawFit(
      ui, row.rest().x + row.rest().width, header.y + (header.height - PillHeight(*ui)) / 2.0F));
  if (row.rest().width < TextWidth(*ui, NameOfPair(pair), Type::kBold)) {
    return;
  }
  row.Text(NameOfPair(pair), Type::kBold, ui->colors().text);
  row.Skip(12.0F);
  if (row.rest().width > ui->Px(40.0F)) {
    row.Text(
        DivergenceText(pair) + (pair.by_hand ? ", by hand" : ""), Type::kMono, ui->colors().muted);
  }
}

// The furthest that a side's name may go over its map.
std::string SideTitle(const char* letter, const std::string& name, HeadIndex head) {
  return fmt::format("{}  {}  {}", letter, HeadName(head), name);
}

}  // namespace

PairWish WishOfPair(Ui* ui) {
  const AxisRoom room = RoomForLabels(*ui, LabelsOfPlaces(DrawingOf(ui)));
  return {.has_two = ui->state.compare.look.view == CompareView::kBeside,
          .left = room.left,
          .right = room.right,
          .top = room.top + TitleHeight(*ui)};
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
    Pen pen{ui, layout.first.x, layout.first.y, layout.first.width};
    pen.Skip(8.0F);
    pen.Paragraph(pair.layer == nullptr
                      ? "Side B has no such layer."
                      : "This head has no partner: side B has fewer heads in a layer. Click one of "
                        "B's heads at the right to pair them by hand.",
                  Type::kBody,
                  colors.muted);
    return;
  }
  // None: on its way. The frames are there and can be zoomed before it is.
  const std::shared_ptr<const PairMaps> shared = MapsInView(state);
  const PairMaps* const maps = shared.get();
  ui->memory->pointing = false;
  const ColorScale scale = ScaleOfPair(
      ChosenScale(state), *state.compare.result, pair.head.layer, pair.head.head, *pair.other);
  MapHandle a = 0;
  MapHandle b = 0;
  if (maps != nullptr) {
    a = ui->maps->Values(shared, 0, maps->rows, maps->cols, maps->a);
    b = ui->maps->Values(shared, 1, maps->rows, maps->cols, maps->b);
  }
  const HeadIndex other{pair.head.layer, *pair.other, pair.head.part};
  MapGeometry lowest;
  ColorScale difference;
  switch (state.compare.look.view) {
    case CompareView::kBeside: {
      PairLayout two = layout;
      const bool has_names_once = GiveRowNames(*ui, drawing, &two);
      const MapGeometry first =
          DrawFrameInCompareMaps(ui, two.first, drawing, SideTitle("A", NameOfA(state), pair.head));
      lowest = DrawFrameInCompareMaps(
          ui, two.second, drawing, SideTitle("B", NameOfB(state), other), !has_names_once);
      PlacePart(*ui, first, maps, a, scale, 0.0F, 1.0F);
      PlacePart(*ui, lowest, maps, b, scale, 0.0F, 1.0F);
      Finish(ui, "map of A", first, &drawing, &lowest);
      Finish(ui, "map of B", lowest, &drawing, &first);
      break;
    }
    case CompareView::kSwipe: {
      const float divider = state.compare.look.divider;
      const std::string title = fmt::format("A  {}    |    B  {}", NameOfA(state), NameOfB(state));
      lowest = DrawFrameInCompareMaps(ui, layout.first, drawing, title);
      PlacePart(*ui, lowest, maps, a, scale, 0.0F, divider);
      PlacePart(*ui, lowest, maps, b, scale, divider, 1.0F);
      Finish(ui, "swiped map", lowest, &drawing);
      DrawDivider(*ui, lowest);
      break;
    }
    case CompareView::kDifference: {
      MapHandle handle = 0;
      if (maps != nullptr) {
        difference = ScaleOfDifference(ChosenScale(state), state.compare.maps.answer->furthest);
        handle = HandleOfDifference(ui, &drawing, shared, difference);
      }
      const std::string title = fmt::format("B − A: {} − {}", NameOfB(state), NameOfA(state));
      lowest = DrawFrameInCompareMaps(ui, layout.first, drawing, title);
      const ColorScale around_zero{.curve = Curve::kLinear, .colormap = Colormap::kDiverging};
      PlacePart(*ui, lowest, maps, handle, around_zero, 0.0F, 1.0F);
      Finish(ui, "map of the difference", lowest, &drawing);
      break;
    }
  }
  Pen pen{ui,
          layout.footer.x,
          std::min(layout.footer.y + ui->Px(10.0F),
                   lowest.target.y + lowest.target.height + ui->Px(12.0F)),
          layout.footer.width};
  if (state.compare.look.view != CompareView::kDifference) {
    DrawColourBar(&pen, scale, true);
  } else if (maps != nullptr) {
    DrawDifferenceBarInCompareMaps(ui, pen.Take(ui->Px(30.0F)), difference);
  }
  pen.Paragraph(NoteOf(*drawing.pair, maps), Type::kSmall, colors.dim, 2);
  if (!ui->memory->pointing && !state.compare.point_locked && state.compare.point) {
    ui->Do(PointPlace{});
  }
}

}  // namespace headscope
