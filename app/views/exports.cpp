#include "app/views/exports.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "app/state/queries.h"
#include "app/views/counts_parts.h"
#include "app/views/detail_header.h"

namespace headscope {
namespace {

constexpr const char* kConvention =
    "rows are queries, columns are keys; layers and heads count from 0";

std::string Caption(const AppState& state) {
  const ModelInfo* model = ShownModel(state);
  std::string text = state.shown.input.text;
  if (text.size() > 160) {
    std::size_t end = 157;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
      --end;
    }
    text = text.substr(0, end) + "…";
  }
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? fmt::format("{}. {}", model->name, kConvention)
                      : fmt::format("{} on “{}”. {}", model->name, text, kConvention);
}

void AddFlag(const AppState& state, HeadIndex head, FigureMap* map) {
  if (const HeadFlag* flag = FindFlag(state.flags, head)) {
    const Rgb color = ColorFromHex(flag->colour);
    map->flag_rgb = (static_cast<std::uint32_t>(color.r) << 16U) |
                    (static_cast<std::uint32_t>(color.g) << 8U) | color.b;
    map->flag_role = RoleLabel(flag->role);
  }
}

void MaskCells(const LayerAttention& layer, FigureMap* map) {
  for (std::int64_t query = 0; query < map->queries; ++query) {
    for (std::int64_t key = 0; key < map->keys; ++key) {
      if (!layer.Visible(query, key)) {
        map->weights[static_cast<std::size_t>(query * map->keys + key)] = kMasked;
      }
    }
  }
}

Result<Figure> HeadFigure(const AppState& state, Figure figure) {
  const LayerView view = SelectedLayer(state);
  const HeadIndex head = state.selection.head;
  if (view.layer == nullptr || view.encoding == nullptr) {
    return Fail(ErrorCode::kInput, "This head is not computed yet; wait for its picture.");
  }
  const AttentionShape& shape = view.layer->shape();
  FigureMap map;
  map.title = HeadName(head);
  map.queries = shape.queries;
  map.keys = shape.keys;
  map.scale = ScaleFor(state, head);
  if (const auto whole = MapAt(state, view.layer, head.head)) {
    map.weights = whole->weights;
  } else {
    map.weights.resize(static_cast<std::size_t>(shape.queries * shape.keys));
    view.layer->Map(head.head, map.weights);
    MaskCells(*view.layer, &map);
  }
  AddFlag(state, head, &map);
  for (std::int64_t i = 0; i < std::ssize(view.encoding->tokens); ++i) {
    figure.key_tokens.push_back(TokenLabel(*view.encoding, i));
  }
  figure.query_tokens = figure.key_tokens;
  figure.rows.push_back({.label = {}, .sublabel = {}, .maps = {std::move(map)}});
  return figure;
}

Result<Figure> GridFigure(const AppState& state, Figure figure) {
  for (std::int64_t layer = 0; layer < ShownLayers(state); ++layer) {
    const LayerView view = LayerAt(state, layer);
    if (view.layer == nullptr) {
      return Fail(ErrorCode::kInput,
                  "Not every layer is computed yet; wait until the status line says so.");
    }
    FigureRow row{.label = fmt::format("L{}", layer), .sublabel = {}, .maps = {}};
    for (std::int64_t head = 0; head < view.layer->shape().heads; ++head) {
      const Thumbnail& thumbnail = view.layer->thumbnail(head);
      FigureMap map;
      map.title = HeadName({layer, head});
      map.queries = thumbnail.rows;
      map.keys = thumbnail.cols;
      const bool largest = state.settings.pooling == Pooling::kMax && thumbnail.pooled;
      map.weights = largest ? thumbnail.max : thumbnail.mean;
      map.pooled = thumbnail.pooled;
      map.scale = ScaleFor(state, {layer, head});
      AddFlag(state, {layer, head}, &map);
      if (thumbnail.pooled && figure.notes.empty()) {
        figure.notes.push_back(fmt::format("{} x {} weights pooled to {} x {} by their {}",
                                           view.layer->shape().queries,
                                           view.layer->shape().keys,
                                           thumbnail.rows,
                                           thumbnail.cols,
                                           largest ? "largest" : "mean"));
      }
      row.maps.push_back(std::move(map));
    }
    figure.rows.push_back(std::move(row));
  }
  return figure;
}

Result<Figure> CountsFigure(const AppState& state, Figure figure) {
  const Counts& counts = state.counts;
  if (counts.result == nullptr || counts.source == nullptr) {
    return Fail(ErrorCode::kInput, "No head counts are computed yet; open Counts (2) first.");
  }
  const SplitResult& result = *counts.result;
  const AttentionShape& shape = counts.source->shape();
  const auto cells = static_cast<std::size_t>(shape.queries * shape.keys);
  figure.caption = fmt::format("Layer {} of {}", result.layer, figure.caption);
  figure.notes.emplace_back("the trained weights cut into other head counts, not retrained");
  for (std::size_t i = 0; i < result.counts.size(); ++i) {
    const SplitCount& count = result.counts[i];
    const bool trained = count.heads == result.trained_heads;
    FigureRow row{.label = fmt::format("h = {}{}", count.heads, trained ? " (trained)" : ""),
                  .sublabel = WidthWords(count),
                  .maps = {}};
    for (std::int64_t head = 0; head < count.heads; ++head) {
      FigureMap map;
      map.title = fmt::format("h = {}, head {}", count.heads, head);
      map.queries = shape.queries;
      map.keys = shape.keys;
      map.scale = CountScale(state, {.count = i, .head = head, .valid = true});
      const auto weights =
          std::span(count.maps).subspan(static_cast<std::size_t>(head) * cells, cells);
      map.weights.assign(weights.begin(), weights.end());
      MaskCells(*counts.source, &map);
      row.maps.push_back(std::move(map));
    }
    figure.rows.push_back(std::move(row));
  }
  return figure;
}

}  // namespace

Result<Figure> FigureFor(const AppState& state, const ExportDraft& draft) {
  if (ShownModel(state) == nullptr) {
    return Fail(ErrorCode::kInput, "There is no picture to save yet; open a model first.");
  }
  Figure figure;
  figure.caption = Caption(state);
  figure.theme = draft.theme;
  figure.size_px = draft.size_px;
  switch (draft.what) {
    case ExportWhat::kHead:
      return HeadFigure(state, std::move(figure));
    case ExportWhat::kGrid:
      return GridFigure(state, std::move(figure));
    case ExportWhat::kCounts:
      return CountsFigure(state, std::move(figure));
  }
  return figure;
}

}  // namespace headscope
