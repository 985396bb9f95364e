#include "core/attention/kept_weights.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

#include "core/attention/head_vectors.h"
#include "core/attention/stored_weights.h"
#include "core/base/check.h"

namespace headscope {
namespace {

constexpr std::int64_t kRowsAtOnce = 128;
constexpr std::int64_t kCellsAtOnce = std::int64_t{1} << 19;  // some milliseconds

bool IsSmaller(const KeptWeight& a, const KeptWeight& b) {
  // Of equal weights those read first are the larger.
  return std::tuple(a.weight, -a.view, -a.query, -a.key) <
         std::tuple(b.weight, -b.view, -b.query, -b.key);
}

// Whether `a` is left out before `b`.
bool IsLater(const KeptWeight& a, const KeptWeight& b) {
  return a.rank != b.rank ? a.rank > b.rank : IsSmaller(a, b);
}

// Counts what it leaves out.
void ShrinkTo(std::int64_t most, KeptWeights* kept) {
  auto& weights = kept->weights;
  if (std::ssize(weights) <= most) {
    return;
  }
  const auto first = weights.begin() + (std::ssize(weights) - most);
  std::nth_element(weights.begin(), first, weights.end(), IsLater);
  for (auto it = weights.begin(); it != first; ++it) {
    kept->left += static_cast<double>(it->weight);
  }
  kept->beyond += first - weights.begin();
  weights.erase(weights.begin(), first);
}

}  // namespace

void KeepAtMost(std::int64_t most, KeptWeights* kept) {
  ShrinkTo(most, kept);
  std::ranges::sort(kept->weights, IsSmaller);
}

std::vector<std::int32_t> LargestOfRow(std::span<const float> row, const KeepRule& rule) {
  std::vector<std::int32_t> order;
  double sum = 0.0;
  for (std::size_t key = 0; key < row.size(); ++key) {
    if (row[key] > 0.0F) {
      order.push_back(static_cast<std::int32_t>(key));
      sum += static_cast<double>(row[key]);
    }
  }
  const auto is_later = [&row](std::int32_t a, std::int32_t b) {
    const float wa = row[static_cast<std::size_t>(a)];
    const float wb = row[static_cast<std::size_t>(b)];
    return wa != wb ? wa < wb : a > b;
  };
  std::ranges::make_heap(order, is_later);
  const std::int64_t most =
      rule.per_row > 0 ? std::min(rule.per_row, std::ssize(order)) : std::ssize(order);
  // Sums of floats: what is short of all by their rounding is all.
  const double wanted = rule.mass >= 1.0 ? sum : rule.mass * sum * (1.0 - 1e-7);
  std::vector<std::int32_t> keys;
  double reached = 0.0;
  while (std::ssize(keys) < most && (rule.mass >= 1.0 || reached < wanted)) {
    std::ranges::pop_heap(order, is_later);
    keys.push_back(order.back());
    reached += static_cast<double>(row[static_cast<std::size_t>(order.back())]);
    order.pop_back();
  }
  return keys;
}

void AddRow(RowSource of,
            std::span<const float> row,
            std::span<const std::int32_t> keys,
            KeptWeights* kept) {
  double left = std::accumulate(row.begin(), row.end(), 0.0);
  kept->smaller +=
      std::ranges::count_if(row, [](float weight) { return weight > 0.0F; }) - std::ssize(keys);
  std::int32_t rank = 0;
  for (const std::int32_t key : keys) {
    const float weight = row[static_cast<std::size_t>(key)];
    left -= static_cast<double>(weight);
    kept->weights.push_back({.query = of.query,
                             .key = key,
                             .weight = weight,
                             .row_largest = row[static_cast<std::size_t>(keys.front())],
                             .view = of.view,
                             .rank = rank++});
  }
  kept->left += std::max(0.0, left);
}

namespace {

void Finish(const KeepRule& rule, double rows, KeptWeights* kept) {
  KeepAtMost(rule.most, kept);
  for (const KeptWeight& weight : kept->weights) {
    kept->kept += static_cast<double>(weight.weight);
  }
  for (double* const sum : {&kept->kept, &kept->left, &kept->sink}) {
    *sum = rows > 0.0 ? *sum / rows : 0.0;
  }
}

}  // namespace

Result<KeptWeights> KeepWeights(std::span<const MapView> heads,
                                const KeepRule& rule,
                                const std::stop_token& stop) {
  KeptWeights kept;
  double rows = 0.0;
  for (std::size_t view = 0; view < heads.size(); ++view) {
    const MapView& map = heads[view];
    const auto keys = static_cast<std::size_t>(map.keys());
    const std::int64_t at_once = std::clamp<std::int64_t>(
        kCellsAtOnce / std::max<std::int64_t>(1, map.keys()), 8, kRowsAtOnce);
    for (std::int64_t begin = 0; begin < map.queries(); begin += at_once) {
      if (stop.stop_requested()) {
        return Fail(ErrorCode::kCancelled, "the largest weights are not needed any more");
      }
      const std::int64_t end = std::min(begin + at_once, map.queries());
      std::vector<float> block(static_cast<std::size_t>(end - begin) * keys);
      map.layer->RowsOnAllThreads(map.head, begin, end, block);
      map.layer->MakeDrawable(block);
      const std::span all(block);
      std::vector<std::vector<std::int32_t>> chosen(static_cast<std::size_t>(end - begin));
#pragma omp parallel for schedule(dynamic) default(none) shared(all, chosen, rule, keys)
      for (std::size_t row = 0; row < chosen.size(); ++row) {
        chosen[row] = LargestOfRow(all.subspan(row * keys, keys), rule);
      }
      for (std::size_t row = 0; row < chosen.size(); ++row) {
        const std::int64_t query = begin + static_cast<std::int64_t>(row);
        AddRow({static_cast<std::int32_t>(view), static_cast<std::int32_t>(query)},
               all.subspan(row * keys, keys),
               chosen[row],
               &kept);
        kept.sink += map.layer->SinkWeight(map.head, query);
        rows += 1.0;
      }
      if (std::ssize(kept.weights) > 4 * rule.most) {
        ShrinkTo(rule.most, &kept);
      }
    }
  }
  Finish(rule, rows, &kept);
  return kept;
}

KeptWeights KeepRow(std::span<const MapView> heads, const KeepRule& rule, std::int64_t query) {
  KeptWeights kept;
  for (std::size_t view = 0; view < heads.size(); ++view) {
    const MapView& map = heads[view];
    std::vector<float> row(static_cast<std::size_t>(map.keys()));
    map.layer->Row(map.head, query, row);
    map.layer->MakeDrawable(row);
    AddRow({static_cast<std::int32_t>(view), static_cast<std::int32_t>(query)},
           row,
           LargestOfRow(row, rule),
           &kept);
    kept.sink += map.layer->SinkWeight(map.head, query);
  }
  Finish(rule, static_cast<double>(heads.size()), &kept);
  return kept;
}

KeptWeights KeepColumn(std::span<const MapView> heads, const KeepRule& rule, std::int64_t key) {
  KeptWeights kept;
  double sum = 0.0;
  for (std::size_t view = 0; view < heads.size(); ++view) {
    const MapView& map = heads[view];
    std::vector<float> column(static_cast<std::size_t>(map.queries()));
    ColumnOf(map, key, column);
    sum += std::accumulate(column.begin(), column.end(), 0.0);
    const std::size_t before = kept.weights.size();
    AddRow({static_cast<std::int32_t>(view), 0}, column, LargestOfRow(column, rule), &kept);
    for (std::size_t i = before; i < kept.weights.size(); ++i) {
      KeptWeight& weight = kept.weights[i];
      weight.query = std::exchange(weight.key, static_cast<std::int32_t>(key));
      weight.row_largest = StoredWeights(*map.layer, map.head).LargestOfRow(weight.query);
    }
  }
  Finish(rule, sum, &kept);
  return kept;
}

void ColumnOf(const MapView& map, std::int64_t key, std::span<float> out) {
  const LayerAttention& layer = *map.layer;
  const AttentionRule& rule = layer.rule();
  const std::int64_t queries = map.queries();
  HEADSCOPE_CHECK(std::ssize(out) == queries && key >= 0 && key < map.keys(),
                  "a column has a place for each query");
  std::ranges::fill(out, 0.0F);
  if (layer.content().row_max.empty()) {
    std::vector<float> row(static_cast<std::size_t>(map.keys()));
    for (std::int64_t query = 0; query < queries; ++query) {
      if (layer.Visible(query, key)) {
        layer.Row(map.head, query, row);
        out[static_cast<std::size_t>(query)] = row[static_cast<std::size_t>(key)];
      }
    }
    layer.MakeDrawable(out);
    return;
  }
  const HeadVectors vectors(layer, map.head);
  std::vector<float> query_room;
  std::vector<float> key_room;
  const VectorRows rows = vectors.Queries(0, queries, &query_room);
  const float* const own = vectors.Keys(key, key + 1, &key_room).first;
  const double scale = layer.scale(map.head);
  for (std::int64_t query = 0; query < queries; ++query) {
    if (!layer.Visible(query, key)) {
      continue;
    }
    const float* const row = rows.first + query * rows.stride;
    double score = scale * std::inner_product(row, row + vectors.columns(), own, 0.0);
    score = rule.softcap > 0.0 ? rule.softcap * std::tanh(score / rule.softcap) : score;
    score += static_cast<double>(rule.Bias(map.head, query, key));
    if (rule.positions != nullptr) {
      const PositionScore positions = layer.PositionPart(map.head, query, key);
      score += positions.query_content + positions.key_content;
    }
    const auto at = static_cast<std::size_t>(map.head * queries + query);
    out[static_cast<std::size_t>(query)] =
        static_cast<float>(std::exp(score - static_cast<double>(layer.content().row_max[at])) *
                           static_cast<double>(layer.content().row_inverse_sum[at]));
  }
}

}  // namespace headscope
