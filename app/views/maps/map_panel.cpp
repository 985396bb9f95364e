#include "app/views/maps/map_panel.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/state/inspect/joined.h"
#include "app/views/inspect/panels.h"
#include "app/views/kit/widgets.h"
#include "app/views/maps/big_map.h"
#include "app/views/maps/map_textures.h"

namespace headscope {
namespace {

const std::vector<float>& RowOf(Ui* ui, const MapView& map, std::int64_t query) {
  ToldRow& told = ui->memory->told;
  if (told.map != map || told.query != query) {
    told = {.map = map, .query = query, .weights = std::move(told.weights)};
    told.weights.resize(static_cast<std::size_t>(map.keys()));
    map.layer->Row(map.head, query, told.weights);
  }
  return told.weights;
}

// What a cell on screen stands for, where that is not plain.
std::string WholeMapNote(const MapView& map, bool is_whole, const MapGeometry& geometry) {
  return map.thumbnail().pooled && !is_whole
             ? "pooled while the whole map is made; the numbers are exact"
             : CellWords(geometry);
}

}  // namespace

float DrawFit(Ui* ui, float right, float y) {
  const double zoom = ui->state.selection.zoom.zoom;
  if (zoom <= 1.01) {
    return 0.0F;
  }
  const std::string text = fmt::format("fit · {:.1f}×", zoom);
  const ButtonLook look{
      .text = text, .tooltip = "Show the whole map (0 or double click)", .type = Type::kSmall};
  const float width = ButtonWidth(*ui, look);
  if (Button(ui, "fit", {right - width, y, width, PillHeight(*ui)}, look)) {
    ui->Do(ResetZoom);
  }
  return width;
}

RowWeights RowAt(Ui* ui, const FullMap& full, std::int64_t query) {
  const MapView& view = full.map;
  RowWeights row{.query_tokens = full.query_tokens,
                 .key_tokens = full.key_tokens,
                 .query = query,
                 .first_visible = view.FirstVisible(query),
                 .last_visible = view.LastVisible(query),
                 .weights = RowOf(ui, view, query)};
  if (view.layer->has_sinks()) {
    row.sink = static_cast<float>(view.layer->SinkWeight(view.head, query));
  }
  if (ui->state.token_look.Hides() && view.layer->is_seen_apart()) {
    row.hidden = view.layer->HiddenWeight(view.head, query);
  }
  return row;
}

RowWeights RowInFull(Ui* ui, const FullMap& full) {
  const std::int64_t last = full.map.queries() - 1;
  return RowAt(ui, full, std::clamp<std::int64_t>(ui->state.selection.row.value_or(0), 0, last));
}

RowWeights DrawMapPanel(Pen* pen, const MapPanel& panel) {
  Ui* const ui = pen->ui;
  const FullMap& full = panel.full;
  const MapView& view = full.map;
  KnowTokens(ui, full.query_tokens);
  KnowTokens(ui, full.key_tokens);
  const RowWeights row = RowInFull(ui, full);
  const auto whole = MapAt(ui->state, view);
  const TiledMap tiles{.map = view, .scale = panel.scale, .dimmed = panel.dimmed};
  const bool is_tiled = IsDrawnFromTiles(*view.layer);
  BigMap map;
  map.map = view;
  map.tiles = is_tiled ? &tiles : nullptr;
  map.handle = whole != nullptr ? ui->maps->Whole(whole)
                                : ui->maps->Thumbnail(view, ui->state.settings.pooling);
  map.handle_rows = whole != nullptr ? view.queries() : view.thumbnail().rows;
  map.handle_cols = whole != nullptr ? view.keys() : view.thumbnail().cols;
  map.query_tokens = full.query_tokens.get();
  map.key_tokens = full.key_tokens.get();
  map.scale = panel.scale;
  map.dimmed = panel.dimmed;
  map.row = row.weights;
  map.query = row.query;
  map.cell = full.is_joined ? CellOfMapOf(ui->state) : kPlainCell;
  map.point = Within(ui->state.selection.point, view.queries(), view.keys());

  const MapSpace space = SpaceForMap({.panel = ui->layout.detail,
                                      .x = pen->x,
                                      .y = pen->y,
                                      .width = pen->width,
                                      .below = panel.below,
                                      .scale = ui->scale});
  const MapGeometry drawn = DrawBigMap(ui, space, map);
  DrawCutCells(*ui, drawn, view);
  pen->y = drawn.target.y + drawn.target.height;
  pen->Skip(12.0F);
  const std::string note =
      is_tiled ? TilesNote(*ui, tiles) : WholeMapNote(view, whole != nullptr, drawn);
  if (!note.empty()) {
    pen->Small(note, ui->colors().dim);
  }
  DrawColourBar(pen, map.scale, view.has_masked());
  pen->Skip(12.0F);
  DrawShadedSentence(pen, panel.text_height, row);
  return row;
}

}  // namespace headscope
