#include "core/attention/score_parts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/attention/head_vectors.h"
#include "core/base/check.h"

namespace headscope {

ScoreParts PartsOfScore(const MapView& map, std::int64_t query, std::int64_t key) {
  const LayerAttention& layer = *map.layer;
  HEADSCOPE_CHECK(layer.has_scores(), "given weights have no scores");
  const AttentionRule& rule = layer.rule();
  const HeadVectors vectors(layer, map.head);
  std::vector<float> room;
  const auto numbers = [&](const VectorRows& row) {
    return std::vector<double>(row.first, row.first + vectors.columns());
  };
  ScoreParts parts;
  parts.query = numbers(vectors.Queries(query, query + 1, &room));
  parts.key = numbers(vectors.Keys(key, key + 1, &room));
  for (std::size_t i = 0; i < parts.query.size(); ++i) {
    parts.products.push_back(parts.query[i] * parts.key[i]);
  }
  parts.dot = std::accumulate(parts.products.begin(), parts.products.end(), 0.0);
  parts.scale = layer.scale(map.head);
  parts.softcap = rule.softcap;
  parts.capped = parts.scale * parts.dot;
  if (rule.softcap > 0.0) {
    parts.capped = rule.softcap * std::tanh(parts.capped / rule.softcap);
  }
  parts.score = -std::numeric_limits<double>::infinity();
  if (!layer.Visible(query, key)) {
    return parts;
  }
  parts.bias = static_cast<double>(rule.Bias(map.head, query, key));
  const PositionScore positions = layer.PositionPart(map.head, query, key);
  parts.positions = positions.query_content + positions.key_content;
  parts.score = parts.capped + parts.bias + parts.positions;
  std::vector<float> row(static_cast<std::size_t>(map.keys()));
  layer.Row(map.head, query, row);
  // Scores of one row differ by the logarithms of their weights.
  const auto own = static_cast<double>(row[static_cast<std::size_t>(key)]);
  const auto first = map.FirstVisible(query);
  const auto most = std::max_element(row.begin() + first, row.begin() + map.LastVisible(query));
  parts.largest = layer.Score(map.head, query, most - row.begin());
  parts.exponential = std::exp(parts.score - parts.largest);
  parts.sum = 1.0 / static_cast<double>(*most);
  parts.sink = layer.SinkWeight(map.head, query);
  parts.weight = own;
  return parts;
}

std::vector<std::int32_t> SortedDimensions(const ScoreParts& parts) {
  std::vector<std::int32_t> order(parts.products.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, std::greater<>{}, [&parts](std::int32_t dimension) {
    return parts.products[static_cast<std::size_t>(dimension)];
  });
  return order;
}

}  // namespace headscope
