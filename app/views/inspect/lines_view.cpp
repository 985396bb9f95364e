// The selected head, or several of its layer, as lines between two columns of tokens.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <imgui.h>

#include "app/views/inspect/head_views.h"
#include "app/views/kit/detail_header.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"

namespace headscope {
namespace {

constexpr float kLineReach = 5.0F;  // unscaled, from the pointer to a line

struct Columns {
  LinesPlace place;
  Rect queries;  // their names
  Rect keys;
  Rect whole;  // all of it
};

Columns PlaceColumns(Ui* ui, const Pen& pen, const HeadPanel& panel) {
  const FullMap& full = panel.full;
  const float left = LongestLabel(*ui, *full.query_tokens) + ui->Px(10.0F);
  const float right = LongestLabel(*ui, *full.key_tokens) + ui->Px(10.0F);
  const Rect& detail = ui->layout.detail;
  const float height = std::max(ui->Px(220.0F), detail.y + detail.height - pen.y - panel.below);
  const float width = std::max(ui->Px(60.0F), pen.width - left - right);
  const MapZoom& zoom = ui->state.selection.zoom;
  const ShownPart part = PartShown(zoom, MapSize{});
  const auto queries = static_cast<double>(full.map.queries());
  const auto keys = static_cast<double>(full.map.keys());
  Columns columns;
  columns.place = {.field = {pen.x + left, pen.y, width, height},
                   .first_query = part.first_y * queries,
                   .first_key = part.first_x * keys,
                   .shown_queries = part.down * queries,
                   .shown_keys = part.across * keys,
                   .unit = ui->scale};
  columns.queries = {pen.x, pen.y, left, height};
  columns.keys = {pen.x + left + width, pen.y, right, height};
  columns.whole = {pen.x, pen.y, left + width + right, height};
  return columns;
}

// One column of names. The pointed one is always there, and its neighbours step aside.
struct NameColumn {
  const Encoding& tokens;
  std::int64_t count = 0;
  bool are_queries = true;
  std::optional<std::int64_t> pointed;
  std::vector<bool> ends;  // of what is drawn
};

void DrawNames(const Ui& ui, const Columns& columns, const NameColumn& names) {
  const ThemeColors& colors = ui.colors();
  const LinesPlace& place = columns.place;
  const double pitch = names.are_queries ? place.query_pitch() : place.key_pitch();
  const double first = names.are_queries ? place.first_query : place.first_key;
  const double shown = names.are_queries ? place.shown_queries : place.shown_keys;
  const auto spacing = static_cast<double>(ui.Px(13.0F));
  const auto draw = [&](std::int64_t token) {
    const float y = names.are_queries ? place.QueryY(token) : place.KeyY(token);
    if (y < place.field.y || y > place.field.y + place.field.height) {
      return;
    }
    const LabelTexture label = AxisLabel(ui, names.tokens, token);
    const float x = names.are_queries ? place.field.x - ui.Px(8.0F) - label.width
                                      : place.field.x + place.field.width + ui.Px(8.0F);
    const bool is_pointed = token == names.pointed;
    const bool is_end = names.ends[static_cast<std::size_t>(token)];
    DrawText(ui,
             x,
             y - label.height / 2.0F,
             AxisName(ui, names.tokens, token),
             Type::kMono,
             is_pointed ? colors.accent : (is_end ? colors.text : colors.dim),
             label.width + 1.0F);
  };
  const LabelRun run = ThinLabels(first, shown, pitch, spacing, names.count);
  for (std::int64_t token = run.first; token < run.last; token += run.step) {
    const bool steps_aside =
        names.pointed && token != *names.pointed &&
        static_cast<double>(std::abs(token - *names.pointed)) * pitch < spacing;
    if (token != names.pointed && !steps_aside) {
      draw(token);
    }
  }
  if (names.pointed) {
    draw(*names.pointed);
  }
}

std::int64_t TokenAtY(const LinesPlace& place, float y, bool queries, std::int64_t count) {
  const double pitch = queries ? place.query_pitch() : place.key_pitch();
  const double first = queries ? place.first_query : place.first_key;
  const auto at = std::floor(first + static_cast<double>(y - place.field.y) / pitch);
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(at), 0, count - 1);
}

// The uppermost of the lines near the pointer.
const KeptWeight* LineAt(const ShownWeights& shown,
                         const LinesPlace& place,
                         ImVec2 at,
                         float reach) {
  const KeptWeight* nearest = nullptr;
  if (shown.kept == nullptr) {
    return nearest;
  }
  for (const KeptWeight& weight : shown.kept->weights) {
    const float distance = DistanceTo(LineOf(weight, shown.inks, place), at.x, at.y);
    if (distance <= reach) {
      reach = distance;
      nearest = &weight;
    }
  }
  return nearest;
}

void DragAndZoom(Ui* ui, const LinesPlace& place, bool active) {
  const ImGuiIO& io = ImGui::GetIO();
  ViewMemory& memory = *ui->memory;
  if (active && ImGui::IsMouseDragging(0, 3.0F)) {
    memory.map_dragged = true;
    const double by = -static_cast<double>(io.MouseDelta.y / place.field.height);
    ui->Do(PanMap{by, by});
  }
  const double at = static_cast<double>((io.MousePos.y - place.field.y) / place.field.height);
  if (io.MouseWheel != 0.0F) {
    ui->Do(ZoomMap{std::pow(1.25, static_cast<double>(io.MouseWheel)), at, at});
  }
  if (ImGui::IsMouseDoubleClicked(0)) {
    ui->Do(ResetZoom);
  }
}

void HandleLinesPointer(Ui* ui,
                        const Columns& columns,
                        const HeadPanel& panel,
                        const ShownWeights& shown) {
  ViewMemory& memory = *ui->memory;
  const LinesPlace& place = columns.place;
  const Pressed area = Area(ui, "lines", columns.whole, "");
  const bool active = ImGui::IsItemActive();
  const bool clicked = area.clicked && !memory.map_dragged;
  memory.map_rect = columns.whole;
  if (area.hovered || active) {
    DragAndZoom(ui, place, active);
  }
  if (!active) {
    memory.map_dragged = false;
  }
  if (!area.hovered) {
    return;
  }
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto point = [&](const MapPoint& at, bool is_key) {
    if (!ui->state.selection.point_locked || clicked) {
      memory.points_at_key = is_key;
    }
    PointAt(ui, at);
    if (clicked) {
      ui->Do(ClickCell{at});
    }
  };
  const MapView& map = panel.full.map;
  if (mouse.x < place.field.x) {
    point({.query = TokenAtY(place, mouse.y, true, map.queries())}, false);
  } else if (mouse.x > place.field.x + place.field.width) {
    const std::int64_t row =
        std::clamp<std::int64_t>(ui->state.selection.row.value_or(0), 0, map.queries() - 1);
    point({.query = row, .key = TokenAtY(place, mouse.y, false, map.keys())}, true);
  } else if (const KeptWeight* const weight = LineAt(shown, place, mouse, ui->Px(kLineReach))) {
    if (!ui->state.selection.point_locked && shown.of != LinesSubject::kColumn) {
      memory.points_at_key = false;
    }
    PointAtWeight(ui, panel, shown, *weight, clicked);
  }
}

}  // namespace

void DrawLinesView(Pen* pen, const HeadPanel& panel) {
  Ui* const ui = pen->ui;
  const FullMap& full = panel.full;
  KnowTokens(ui, full.query_tokens);
  KnowTokens(ui, full.key_tokens);
  DrawKeepTools(pen, panel);
  const Columns columns = PlaceColumns(ui, *pen, panel);
  const MapSize size{.width = static_cast<double>(columns.place.field.height),
                     .height = static_cast<double>(columns.place.field.height)};
  if (ui->state.maps.size != size) {
    ui->Do(MapDrawn{size});
  }
  const ShownWeights shown = WeightsInView(ui, panel);
  std::vector<Stroke> strokes;
  if (shown.kept != nullptr) {
    strokes = LinesBetween(shown.kept->weights, shown.inks, columns.place);
  }
  if (shown.point && shown.point->key && shown.maps.size() == 1) {
    // The pointed cell's own line, however small its weight is.
    strokes.push_back({.x0 = columns.place.field.x,
                       .y0 = columns.place.QueryY(shown.point->query),
                       .x1 = columns.place.field.x + columns.place.field.width,
                       .y1 = columns.place.KeyY(*shown.point->key),
                       .thickness = std::max(1.0F, ui->scale),
                       .color = ui->colors().text,
                       .alpha = 1.0F});
  }
  PlaceStrokes(ui, std::move(strokes), columns.place.field, panel.dimmed);
  DrawCutCrosses(*ui, shown, columns.place.field, [&](const KeptWeight& weight) {
    return LineOf(weight, shown.inks, columns.place);
  });
  const auto count = [](std::int64_t tokens) { return static_cast<std::size_t>(tokens); };
  const std::int64_t queries = full.map.queries();
  const std::int64_t keys = full.map.keys();
  const auto pointed_query =
      shown.point ? std::optional(shown.point->query) : std::optional<std::int64_t>{};
  DrawNames(*ui,
            columns,
            {.tokens = *full.query_tokens,
             .count = queries,
             .are_queries = true,
             .pointed = pointed_query,
             .ends = TokensOf(shown, true, count(queries))});
  DrawNames(*ui,
            columns,
            {.tokens = *full.key_tokens,
             .count = keys,
             .are_queries = false,
             .pointed = shown.point ? shown.point->key : std::nullopt,
             .ends = TokensOf(shown, false, count(keys))});
  HandleLinesPointer(ui, columns, panel, shown);
  pen->y = columns.whole.y + columns.whole.height;
  pen->Skip(10.0F);
  DrawKeptWords(pen, shown);
}

}  // namespace headscope
