// The right part of Counts: the chosen map in full, and what each head count costs.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <imgui.h>

#include "app/state/queries.h"
#include "app/views/big_map.h"
#include "app/views/counts_parts.h"
#include "app/views/detail_header.h"
#include "app/views/map_textures.h"
#include "app/views/panels.h"
#include "app/views/row_panel.h"
#include "app/views/widgets.h"
#include "core/base/counted.h"

namespace headscope {
namespace {

std::string Grouped(std::int64_t value) {
  const std::string digits = fmt::format("{}", value);
  std::string out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) {
      out.push_back(',');
    }
    out.push_back(digits[i]);
  }
  return out;
}

std::string Millions(std::int64_t value) {
  return value < 1'000'000 ? Grouped(value)
                           : fmt::format("{:.1f} M", static_cast<double>(value) / 1e6);
}

std::string Bytes(std::int64_t value) {
  const auto bytes = static_cast<double>(value);
  return bytes < 1e6 ? fmt::format("{:.1f} kB", bytes / 1e3)
                     : fmt::format("{:.1f} MB", bytes / 1e6);
}

struct Column {
  const char* name;
  const char* tooltip;
  float width;  // unscaled, right-aligned
};

constexpr std::array<Column, 7> kColumns = {{
    {"h", "How many heads the layer is cut into", 30.0F},
    {"dₖ", "Columns of queries and keys that a head has", 58.0F},
    {"multiplies", "Of the projections and products: the same for every h", 84.0F},
    {"softmax cells", "h n² (queries × keys in cross-attention): one exponential each", 94.0F},
    {"maps", "Bytes of all maps in float32", 76.0F},
    {"output",
     "How far the layer's output moves from the trained count's: norm of the difference "
     "over the norm",
     68.0F},
    {"divergence",
     "Jensen-Shannon divergence between the heads' rows, in nats: 0 where all heads "
     "look alike, 0.693 at most",
     72.0F},
}};

std::array<std::string, 7> Cells(const SplitCount& count) {
  return {fmt::format("{}", count.heads),
          WidthWords(count).substr(std::string("dₖ ").size()),
          Millions(count.multiplies),
          Grouped(count.softmax_cells),
          Bytes(count.map_bytes),
          fmt::format("{:.3f}", count.output_difference),
          count.mean_divergence ? fmt::format("{:.3f}", *count.mean_divergence) : "–"};
}

float DrawCostTable(Ui* ui, float x, float y, float width, const SplitResult& result) {
  const ThemeColors& colors = ui->colors();
  float total = 0.0F;
  for (const Column& column : kColumns) {
    total += ui->Px(column.width);
  }
  const float stretch = std::min(1.25F, width / total);
  const float line = ui->Px(18.0F);
  const auto row = [&](const std::array<std::string, 7>& cells, float top, Rgb color, Rgb first) {
    float right = x;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      right += ui->Px(kColumns[i].width) * stretch;
      const LabelTexture label = LabelOf(*ui, cells[i], Type::kMonoSmall);
      DrawText(*ui, right - label.width, top, cells[i], Type::kMonoSmall, i == 0 ? first : color);
    }
  };
  std::array<std::string, 7> names;
  float left = x;
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    names[i] = kColumns[i].name;
    const float column = ui->Px(kColumns[i].width) * stretch;
    Area(ui, kColumns[i].name, {left, y, column, line}, kColumns[i].tooltip);
    left += column;
  }
  row(names, y, colors.dim, colors.dim);
  float top = y + line + ui->Px(2.0F);
  for (const SplitCount& count : result.counts) {
    const bool trained = count.heads == result.trained_heads;
    const Rgb color = trained ? colors.accent : colors.text;
    row(Cells(count), top, color, color);
    ImGui::PushID(static_cast<int>(count.heads));
    if (Area(ui, "cost row", {x, top, width, line}, trained ? "the trained count" : "").clicked) {
      ui->Do(SelectCount{count.heads, 0});
    }
    ImGui::PopID();
    top += line;
  }
  return top - y;
}

}  // namespace

std::string ColumnWords(const std::vector<std::int32_t>& columns) {
  return columns.empty() ? "no columns"
                         : fmt::format("columns {}–{}", columns.front(), columns.back());
}

std::string HeadOfWords(const SplitResult& split, std::size_t count, std::int64_t head) {
  const SplitCount& chosen = split.counts[count];
  return fmt::format("h = {}, head {}: {}",
                     chosen.heads,
                     head,
                     ColumnWords(chosen.columns[static_cast<std::size_t>(head)]));
}

void DrawCountsDetail(Ui* ui) {
  const Rect& panel = ui->layout.detail;
  const Counts& counts = ui->state.counts;
  const ChosenCount chosen = ChosenOf(ui->state);
  if (panel.width <= 0.0F || !chosen.valid || counts.source == nullptr) {
    return;
  }
  const LayerView view = SelectedLayer(ui->state);
  const SplitResult& result = *counts.result;
  const SplitCount& count = result.counts[chosen.count];
  const AttentionShape& shape = counts.source->shape();
  const bool is_current = view.layer == counts.source && !view.outdated;
  // The tokens are those of the layer that was cut, whatever is shown or computed by now.
  const PictureSubject& of = counts.source_of;
  const LayerView cut{.layer = counts.source,
                      .source = of.encoding,
                      .target = of.target,
                      .keys = of.keys,
                      .stale = !is_current};
  const auto query_tokens = QueryTokens(cut);
  const auto key_tokens = KeyTokens(cut);
  if (query_tokens == nullptr || std::ssize(query_tokens->tokens) != shape.queries ||
      key_tokens == nullptr || std::ssize(key_tokens->tokens) != shape.keys) {
    return;
  }
  KnowTokens(ui, query_tokens);
  KnowTokens(ui, key_tokens);
  const ThemeColors& colors = ui->colors();
  const float pad = ui->Px(18.0F);
  const float x = panel.x + pad;
  const float width = panel.width - 2.0F * pad;
  ui->memory->pointing = false;
  BeginDetail(ui, panel);
  float y = panel.y + ui->Px(14.0F) - ImGui::GetScrollY();
  const bool trained = count.heads == result.trained_heads;
  const std::string title = fmt::format("h = {}, head {}", count.heads, chosen.head);
  y += DrawDetailHeader(ui, x, y, width, title, trained && view.layer == counts.source) +
       ui->Px(4.0F);
  std::string words = fmt::format("{}, {}, {}",
                                  LayerWords({counts.source->part(), result.layer}),
                                  ColumnWords(count.columns[static_cast<std::size_t>(chosen.head)]),
                                  WidthWords(count));
  words += trained ? "; the trained count" : "; the trained weights cut anew, not retrained";
  words += result.leaves_bias_out
               ? ". Without the bias that each trained head adds to its scores: it belongs to no "
                 "other head count"
               : "";
  y += DrawParagraph(*ui, x, y, width, words, Type::kSmall, colors.muted) + ui->Px(6.0F);

  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  const std::int64_t query =
      std::clamp<std::int64_t>(ui->state.selection.row.value_or(0), 0, shape.queries - 1);
  const std::span<const float> weights =
      std::span(count.maps).subspan(static_cast<std::size_t>(chosen.head) * cells, cells);
  const std::span<const float> row = weights.subspan(static_cast<std::size_t>(query * shape.keys),
                                                     static_cast<std::size_t>(shape.keys));
  BigMap map;
  map.handle = ui->maps->OfCount(counts.result, *counts.source, chosen.count, chosen.head, true);
  map.handle_rows = shape.queries;
  map.handle_cols = shape.keys;
  map.query_tokens = query_tokens.get();
  map.key_tokens = key_tokens.get();
  map.layer = counts.source.get();
  map.queries = shape.queries;
  map.keys = shape.keys;
  map.scale = CountScale(ui->state, chosen);
  map.dimmed = !is_current;
  map.row = row;
  map.query = query;
  map.point = Within(ui->state.selection.point, shape.queries, shape.keys);
  const float table = ui->Px(18.0F) * static_cast<float>(result.counts.size() + 1);
  const float below = table + ui->Px(190.0F);
  const MapSpace space = SpaceForMap(
      {.panel = panel, .x = x, .y = y, .width = width, .below = below, .scale = ui->scale});
  const MapGeometry drawn = DrawBigMap(ui, space, map);
  y = drawn.target.y + drawn.target.height + ui->Px(12.0F);
  if (const std::string note = CellWords(drawn); !note.empty()) {
    y += DrawParagraph(*ui, x, y, width, note, Type::kSmall, colors.dim);
  }
  y += DrawColourBar(*ui, x, y, width, map.scale, HasMasked(*counts.source)) + ui->Px(10.0F);
  const RowWeights row_weights{.query_tokens = query_tokens,
                               .key_tokens = key_tokens,
                               .query = query,
                               .first_visible = counts.source->rule().FirstVisible(query),
                               .last_visible = counts.source->rule().LastVisible(query, shape.keys),
                               .weights = row};
  y += DrawShadedSentence(ui, x, y, width, ui->Px(56.0F), row_weights) + ui->Px(14.0F);

  DrawText(*ui,
           x,
           y,
           query_tokens == key_tokens
               ? "Cost of this layer for " + Counted(shape.queries, "token")
               : fmt::format(
                     "Cost of this layer for {} × {}", shape.queries, Counted(shape.keys, "token")),
           Type::kBold,
           colors.text);
  y += ui->Px(24.0F);
  y += DrawCostTable(ui, x, y, width, result) + ui->Px(6.0F);
  y += DrawParagraph(*ui,
                     x,
                     y,
                     width,
                     fmt::format("Parameters ({}) and multiplies do not depend on h. Softmax work "
                                 "and map memory grow with it.",
                                 Grouped(count.parameters)),
                     Type::kSmall,
                     colors.muted);
  EndDetail(ui, y);
}

}  // namespace headscope
