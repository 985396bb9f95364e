#include "core/headcount/score_rank.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "core/base/singular_values.h"
#include "core/base/stop.h"

namespace headscope {
namespace {

// The columns of the first rows, times a factor; `from` are indices into a row of `width`.
std::vector<double> Gathered(std::span<const float> rows,
                             std::int64_t width,
                             std::int64_t count,
                             std::span<const std::int32_t> from,
                             double factor) {
  std::vector<double> gathered;
  for (std::int64_t row = 0; row < count; ++row) {
    for (const std::int32_t column : from) {
      gathered.push_back(factor *
                         static_cast<double>(rows[static_cast<std::size_t>(row * width + column)]));
    }
  }
  return gathered;
}

ScoreRank RankOfColumns(const LayerAttention& source,
                        const std::vector<std::int32_t>& columns,
                        double scale) {
  const AttentionShape& shape = source.shape();
  const std::int64_t shared_by = shape.heads / shape.kv_heads;
  std::vector<std::int32_t> of_keys;
  for (const std::int64_t column : columns) {
    of_keys.push_back(static_cast<std::int32_t>(
        column / shape.head_dim / shared_by * shape.head_dim + column % shape.head_dim));
  }
  ScoreRank rank{.queries = std::min(shape.queries, kMostRankTokens),
                 .keys = std::min(shape.keys, kMostRankTokens),
                 .head_dim = std::ssize(columns),
                 .values = {}};
  const LayerAttention::Content& content = source.content();
  rank.values = ProductSingularValues(
      Gathered(content.queries, shape.heads * shape.head_dim, rank.queries, columns, scale),
      Gathered(content.keys, shape.kv_heads * shape.head_dim, rank.keys, of_keys, 1.0),
      rank.head_dim);
  rank.values.resize(static_cast<std::size_t>(std::min({rank.queries, rank.keys, rank.head_dim})));
  return rank;
}

}  // namespace

std::int64_t ScoreRank::Rank() const {
  if (values.empty()) {
    return 0;
  }
  const double least =
      values.front() * static_cast<double>(std::max(queries, keys)) * std::ldexp(1.0, -23);
  return std::ranges::count_if(values, [least](double value) { return value > least; });
}

double ScoreRank::EffectiveRank() const {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  if (!(sum > 0.0)) {
    return 0.0;
  }
  double entropy = 0.0;
  for (const double value : values) {
    const double share = value / sum;
    entropy -= share > 0.0 ? share * std::log(share) : 0.0;
  }
  return std::exp(entropy);
}

double ScoreRank::LeftOut(std::int64_t rank) const {
  double all = 0.0;
  double left_out = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double square = values[i] * values[i];
    all += square;
    left_out += static_cast<std::int64_t>(i) < rank ? 0.0 : square;
  }
  return all > 0.0 ? std::sqrt(left_out / all) : 0.0;
}

Result<std::vector<ScoreRank>> RanksOf(const LayerAttention& layer, const std::stop_token& stop) {
  std::vector<ScoreRank> ranks;
  for (std::int64_t head = 0; head < layer.shape().heads; ++head) {
    HEADSCOPE_TRY(CheckStop(stop));
    ranks.push_back(RankOfColumns(layer.source(), layer.columns(head), layer.scale(head)));
  }
  return ranks;
}

ScoreRank RankOfAllColumns(const LayerAttention& layer) {
  const AttentionShape& shape = layer.source().shape();
  std::vector<std::int32_t> columns(static_cast<std::size_t>(shape.heads * shape.head_dim));
  std::iota(columns.begin(), columns.end(), 0);
  return RankOfColumns(layer.source(),
                       columns,
                       layer.source().rule().scale / std::sqrt(static_cast<double>(shape.heads)));
}

}  // namespace headscope
