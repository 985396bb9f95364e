#include "app/state/inspect/cell_words.h"

#include <algorithm>

#include <fmt/format.h>

#include "app/state/inspect/row_words.h"
#include "app/state/queries.h"
#include "core/base/check.h"

namespace headscope {
namespace {

using Kind = CellLine::Kind;

void AddNumbers(const CellSource& source, CellIndex cell, std::vector<CellLine>* lines) {
  const float weight = source.row[static_cast<std::size_t>(cell.key)];
  const auto before = std::ranges::count_if(
      source.row, [weight](float other) { return OrderOf(other) > OrderOf(weight); });
  const LayerAttention& layer = *source.map.layer;
  const std::int64_t visible =
      source.map.LastVisible(cell.query) - source.map.FirstVisible(cell.query);
  lines->push_back(
      {fmt::format("{} {}   rank {} of {}", source.cell, WeightText(weight), before + 1, visible),
       Kind::kNumber});
  if (source.cell != kPlainCell) {
    return;
  }
  if (!layer.has_scores()) {
    lines->push_back({layer.is_seen_apart()
                          ? "score and q·k: of single tokens alone; show all tokens to see them"
                          : "score and q·k: there are none, weights alone are given",
                      Kind::kNote});
    return;
  }
  const std::int64_t head = source.map.head;
  lines->push_back(
      {fmt::format("score  {:.4f}", layer.Score(head, cell.query, cell.key)), Kind::kNumber});
  lines->push_back({fmt::format("q·k    {:.4f} × {:.4g}{}",
                                layer.DotProduct(head, cell.query, cell.key),
                                layer.scale(head),
                                layer.rule().softcap > 0.0 ? ", then capped" : ""),
                    Kind::kDetail});
  if (layer.rule().positions == nullptr || !layer.Visible(cell.query, cell.key)) {
    return;
  }
  const PositionScore positions = layer.PositionPart(head, cell.query, cell.key);
  lines->push_back({fmt::format("content with content    {:+.4f}",
                                layer.scale(head) * layer.DotProduct(head, cell.query, cell.key)),
                    Kind::kDetail});
  lines->push_back(
      {fmt::format("content with position   {:+.4f}", positions.query_content), Kind::kDetail});
  lines->push_back(
      {fmt::format("position with content   {:+.4f}", positions.key_content), Kind::kDetail});
}

}  // namespace

std::string WeightText(float weight) {
  return weight >= 1e-3F || weight == 0.0F ? fmt::format("{:.6f}", weight)
                                           : fmt::format("{:.3e}", weight);
}

std::vector<CellLine> LinesOfCell(const CellSource& source, CellIndex cell) {
  const LayerAttention& layer = *source.map.layer;
  const AttentionShape& shape = layer.shape();
  HEADSCOPE_CHECK(
      cell.query >= 0 && cell.query < shape.queries && cell.key >= 0 && cell.key < shape.keys,
      "a cell of the map");
  const Token* const query = TokenAt(source.query_tokens, cell.query);
  const Token* const key = TokenAt(source.key_tokens, cell.key);
  HEADSCOPE_CHECK(query != nullptr && key != nullptr, "a token for each row and column");
  std::vector<CellLine> lines;
  lines.push_back({fmt::format("query {} “{}” → key {} “{}”",
                               cell.query,
                               TokenWord(source.query_tokens, cell.query),
                               cell.key,
                               TokenWord(source.key_tokens, cell.key)),
                   Kind::kTitle});
  if (!layer.Visible(cell.query, cell.key)) {
    lines.push_back({cell.key > cell.query ? "masked: this key comes after the query"
                                           : "masked: outside of the window of attention",
                     Kind::kNote});
  } else if (source.query == cell.query && !source.row.empty()) {
    AddNumbers(source, cell, &lines);
  }
  if (query->text != query->display || key->text != key->display) {
    lines.push_back(
        {fmt::format("in the vocabulary: {} → {}", query->text, key->text), Kind::kSmall});
  }
  return lines;
}

}  // namespace headscope
