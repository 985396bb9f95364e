#include "tests/reference/split_reference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace headscope {

std::vector<double> SplitMapsReference(const LayerAttention& layer,
                                       std::span<const std::vector<std::int32_t>> columns) {
  const AttentionShape& shape = layer.shape();
  const AttentionRule& rule = layer.rule();
  const std::int64_t group = shape.heads / shape.kv_heads;
  const auto heads = static_cast<std::int64_t>(columns.size());
  std::vector<double> maps(static_cast<std::size_t>(heads * shape.queries * shape.keys), 0.0);
  for (std::int64_t head = 0; head < heads; ++head) {
    const std::vector<std::int32_t>& own = columns[static_cast<std::size_t>(head)];
    const double scale = rule.scale * std::sqrt(static_cast<double>(shape.head_dim) /
                                                static_cast<double>(own.size()));
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      const std::int64_t first = rule.FirstVisible(query);
      const std::int64_t last = rule.LastVisible(query, shape.keys);
      double* row = maps.data() + (head * shape.queries + query) * shape.keys;
      if (first >= last) {
        continue;
      }
      for (std::int64_t key = first; key < last; ++key) {
        double dot = 0.0;
        for (const std::int32_t column : own) {
          // The key's columns are read as if repeated for every query head.
          const std::int64_t kv_column =
              column / shape.head_dim / group * shape.head_dim + column % shape.head_dim;
          const auto q = static_cast<std::size_t>(query * shape.heads * shape.head_dim + column);
          const auto k =
              static_cast<std::size_t>(key * shape.kv_heads * shape.head_dim + kv_column);
          dot += static_cast<double>(layer.content().queries[q]) *
                 static_cast<double>(layer.content().keys[k]);
        }
        const double score = scale * dot;
        row[key] = rule.softcap > 0.0 ? rule.softcap * std::tanh(score / rule.softcap) : score;
      }
      const double largest = *std::max_element(row + first, row + last);
      double sum = 0.0;
      for (std::int64_t key = first; key < last; ++key) {
        row[key] = std::exp(row[key] - largest);
        sum += row[key];
      }
      for (std::int64_t key = first; key < last; ++key) {
        row[key] /= sum;
      }
    }
  }
  return maps;
}

}  // namespace headscope
