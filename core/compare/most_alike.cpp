#include "core/compare/most_alike.h"

#include <algorithm>

#include "core/attention/row_divergence.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

constexpr std::int64_t kMostRows = 64;

}  // namespace

std::vector<std::int64_t> RowsToCompare(const LayerAttention& layer, std::int64_t most) {
  std::vector<std::int64_t> all;
  for (std::int64_t query = 0; query < layer.shape().queries; ++query) {
    const AttentionRule& rule = layer.rule();
    if (rule.LastVisible(query, layer.shape().keys) - rule.FirstVisible(query) > 1) {
      all.push_back(query);
    }
  }
  const std::int64_t count = std::ssize(all);
  if (count <= most) {
    return all;
  }
  std::vector<std::int64_t> some;
  for (std::int64_t i = 0; i < most; ++i) {
    some.push_back(all[static_cast<std::size_t>(i * count / most)]);
  }
  return some;
}

Result<std::vector<AlikeHead>> MostAlike(
    std::span<const std::shared_ptr<const LayerAttention>> layers,
    HeadIndex head,
    std::size_t most,
    const std::stop_token& stop) {
  const auto own = std::ranges::find_if(layers, [head](const auto& layer) {
    return layer != nullptr && layer->part() == head.part && layer->layer() == head.layer;
  });
  if (own == layers.end()) {
    return std::vector<AlikeHead>();
  }
  const AttentionShape& shape = (*own)->shape();
  const std::vector<std::int64_t> rows = RowsToCompare(**own, kMostRows);
  const auto keys = static_cast<std::size_t>(shape.keys);
  std::vector<float> mine(rows.size() * keys);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    (*own)->Row(head.head, rows[i], std::span(mine).subspan(i * keys, keys));
  }
  std::vector<AlikeHead> alike;
  std::vector<float> row(keys);
  for (const auto& layer : layers) {
    if (rows.empty() || layer == nullptr || layer->part() != head.part ||
        layer->shape().queries != shape.queries || layer->shape().keys != shape.keys) {
      continue;
    }
    for (std::int64_t other = 0; other < layer->shape().heads; ++other) {
      const HeadIndex index{layer->layer(), other, layer->part()};
      if (index == head) {
        continue;
      }
      double sum = 0.0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        HEADSCOPE_TRY(CheckStop(stop));
        layer->Row(other, rows[i], row);
        sum += RowDivergence(mine.data() + i * keys, row.data(), shape.keys);
      }
      alike.push_back({index, sum / static_cast<double>(rows.size())});
    }
  }
  std::ranges::stable_sort(alike, {}, &AlikeHead::divergence);
  alike.resize(std::min(alike.size(), most));
  return alike;
}

}  // namespace headscope
