// The right part of Inspect: one head in full.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/big_map.h"
#include "app/views/detail_header.h"
#include "app/views/map_textures.h"
#include "app/views/panels.h"
#include "app/views/row_panel.h"
#include "app/views/widgets.h"

namespace headscope {
namespace {

// The flag of the head, its note; or how to set one. Returns the height.
float DrawFlag(Ui* ui, float x, float y, float width) {
  const ThemeColors& colors = ui->colors();
  const HeadFlag* flag = FindFlag(FlagsInView(ui->state), ui->state.selection.head);
  const float height = PillHeight(*ui);
  if (flag == nullptr) {
    DrawTextIn(*ui,
               {x, y, width, height},
               "no flag yet: F says what this head does",
               Type::kSmall,
               colors.dim,
               width);
    return height;
  }
  const float pill = Pill(*ui, x, y, ColorFromHex(flag->colour), RoleLabel(flag->role));
  if (Area(ui, "flag pill", {x, y, pill, height}, "Change or remove this flag (F)").clicked) {
    ui->memory->popup_anchor = {x, y, pill, height};
    ui->Do(OpenPopup{Popup::kFlag});
  }
  if (flag->note.empty()) {
    return height;
  }
  constexpr int kMostLines = 3;
  const float top = y + height + ui->Px(6.0F);
  const float tall =
      DrawParagraph(*ui, x, top, width, flag->note, Type::kSmall, colors.muted, kMostLines);
  if (ParagraphHeight(*ui, flag->note, width, Type::kSmall, kMostLines + 1) > tall) {
    Area(ui, "flag note", {x, top, width, tall}, flag->note);
  }
  return height + ui->Px(6.0F) + tall;
}

// While zoomed: how much, and back to the whole map.
void DrawFit(Ui* ui, float right, float y) {
  const double zoom = ui->state.selection.zoom.zoom;
  if (zoom <= 1.01) {
    return;
  }
  const std::string text = fmt::format("fit · {:.1f}×", zoom);
  const ButtonLook look{
      .text = text, .tooltip = "Show the whole map (0 or double click)", .type = Type::kSmall};
  const float width = ButtonWidth(*ui, look);
  if (Button(ui, "fit", {right - width, y, width, PillHeight(*ui)}, look)) {
    ui->Do(ResetZoom{});
  }
}

const std::vector<float>& RowOf(Ui* ui,
                                const std::shared_ptr<const LayerAttention>& layer,
                                std::int64_t head,
                                std::int64_t query) {
  ToldRow& told = ui->memory->told;
  if (told.layer != layer || told.head != head || told.query != query) {
    told = {.layer = layer, .head = head, .query = query, .weights = std::move(told.weights)};
    told.weights.resize(static_cast<std::size_t>(layer->shape().keys));
    layer->Row(head, query, told.weights);
  }
  return told.weights;
}

// What a cell on screen stands for, where that is not plain.
std::string WholeMapNote(const LayerAttention& layer, bool is_whole, const MapGeometry& geometry) {
  return layer.thumbnail(0).pooled && !is_whole
             ? "pooled while the whole map is made; the numbers are exact"
             : CellWords(geometry);
}

}  // namespace

void DrawHeadDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  const LayerView view = SelectedLayer(ui->state);
  const HeadIndex head = ui->state.selection.head;
  const auto query_tokens = QueryTokens(view);
  const auto key_tokens = KeyTokens(view);
  if (panel.width <= 0.0F || query_tokens == nullptr || key_tokens == nullptr ||
      head.head >= view.layer->shape().heads) {
    return;
  }
  const float pad = ui->Px(18.0F);
  const float x = panel.x + pad;
  const float width = panel.width - 2.0F * pad;
  ui->memory->pointing = false;
  BeginDetail(ui, panel);
  float y = panel.y + ui->Px(14.0F) - ImGui::GetScrollY();
  y += DrawDetailHeader(ui, x, y, width, HeadName(head)) + ui->Px(8.0F);
  DrawFit(ui, x + width, y);
  y += DrawFlag(ui, x, y, width) + ui->Px(8.0F);

  KnowTokens(ui, query_tokens);
  KnowTokens(ui, key_tokens);
  const AttentionShape& shape = view.layer->shape();
  const std::int64_t query =
      std::clamp<std::int64_t>(ui->state.selection.row.value_or(0), 0, shape.queries - 1);
  const std::vector<float>& weights = RowOf(ui, view.layer, head.head, query);

  const Thumbnail& thumbnail = view.layer->thumbnail(head.head);
  const auto whole = MapAt(ui->state, view.layer, head.head);
  const TiledMap tiles{.layer = view.layer,
                       .head = head.head,
                       .scale = ScaleFor(ui->state, head),
                       .dimmed = IsDimmed(*ui, view)};
  const bool is_tiled = IsDrawnFromTiles(*view.layer);
  BigMap map;
  map.tiles = is_tiled ? &tiles : nullptr;
  map.handle = whole != nullptr
                   ? ui->maps->Whole(whole)
                   : ui->maps->Thumbnail(view.layer, head.head, ui->state.settings.pooling);
  map.handle_rows = whole != nullptr ? whole->queries : thumbnail.rows;
  map.handle_cols = whole != nullptr ? whole->keys : thumbnail.cols;
  map.query_tokens = query_tokens.get();
  map.key_tokens = key_tokens.get();
  map.layer = view.layer.get();
  map.queries = shape.queries;
  map.keys = shape.keys;
  map.scale = tiles.scale;
  map.dimmed = tiles.dimmed;
  map.row = weights;
  map.query = query;
  map.point = Within(ui->state.selection.point, shape.queries, shape.keys);
  map.scored_head = head.head;

  // What stands below the map has a share of its own; the map takes the rest.
  const float below = ui->Px(query_tokens == key_tokens ? 250.0F : 300.0F);
  const MapSpace space = SpaceForMap(
      {.panel = panel, .x = x, .y = y, .width = width, .below = below, .scale = ui->scale});
  const MapGeometry drawn = DrawBigMap(ui, space, map);
  y = drawn.target.y + drawn.target.height + ui->Px(12.0F);
  const std::string note =
      is_tiled ? TilesNote(*ui, tiles) : WholeMapNote(*view.layer, whole != nullptr, drawn);
  if (!note.empty()) {
    y += DrawParagraph(*ui, x, y, width, note, Type::kSmall, ui->colors().dim);
  }
  y += DrawColourBar(*ui, x, y, width, map.scale, HasMasked(*view.layer)) + ui->Px(12.0F);

  const RowWeights row{.query_tokens = query_tokens,
                       .key_tokens = key_tokens,
                       .query = query,
                       .first_visible = view.layer->rule().FirstVisible(query),
                       .last_visible = view.layer->rule().LastVisible(query, shape.keys),
                       .weights = weights};
  const float text_height = ui->Px(query_tokens == key_tokens ? 84.0F : 54.0F);
  y += DrawShadedSentence(ui, x, y, width, text_height, row) + ui->Px(12.0F);
  const float left = panel.y + panel.height - y - ui->Px(8.0F);
  y += DrawRowBars(ui, x, y, width, std::max(left, ui->Px(140.0F)), row);
  EndDetail(ui, y);
}

}  // namespace headscope
