// Dot products of children next to their parent's.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/attention/head_vectors.h"
#include "core/base/check.h"
#include "core/base/stop.h"
#include "core/headcount/lineage.h"

namespace headscope {
namespace {

// Sums in lanes, as a float32 product does: a single running sum would lose more digits.
float DotSumsDot(const float* one, const float* two, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  std::array<float, kLanes> lanes = {};
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      lanes[static_cast<std::size_t>(lane)] += one[i + lane] * two[i + lane];
    }
  }
  for (; i < count; ++i) {
    lanes[static_cast<std::size_t>(i % kLanes)] += one[i] * two[i];
  }
  return std::accumulate(lanes.begin(), lanes.end(), 0.0F);
}

double Norm(const float* values, std::int64_t count) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  }
  return std::sqrt(sum);
}

// The rows of one head, for all queries and keys.
struct HeadRows {
  HeadRows(const LayerAttention& layer, std::int64_t head) : vectors(layer, head) {
    queries = vectors.Queries(0, layer.shape().queries, &query_room);
    keys = vectors.Keys(0, layer.shape().keys, &key_room);
  }
  HeadRows(const HeadRows&) = delete;
  HeadRows& operator=(const HeadRows&) = delete;
  ~HeadRows() = default;

  [[nodiscard]] const float* Query(std::int64_t at) const {
    return queries.first + at * queries.stride;
  }
  [[nodiscard]] const float* Key(std::int64_t at) const { return keys.first + at * keys.stride; }
  [[nodiscard]] float Product(std::int64_t query, std::int64_t key) const {
    return DotSumsDot(Query(query), Key(key), vectors.columns());
  }

  HeadVectors vectors;
  std::vector<float> query_room;
  std::vector<float> key_room;
  VectorRows queries;
  VectorRows keys;
};

void Take(const DotCheck& other, DotCheck* most) {
  if (other.largest > most->largest) {
    most->largest = other.largest;
    most->query = other.query;
    most->key = other.key;
  }
  most->relative = std::max(most->relative, other.relative);
  most->cells += other.cells;
}

}  // namespace

DotSum SumOfDots(const LayerAttention& parents,
                 std::int64_t parent,
                 const LayerAttention& children,
                 std::span<const std::int64_t> heads,
                 std::int64_t query,
                 std::int64_t key) {
  DotSum sum;
  for (const std::int64_t head : heads) {
    sum.children.push_back(children.DotProduct(head, query, key));
    sum.sum += sum.children.back();
  }
  sum.parent = parents.DotProduct(parent, query, key);
  const HeadVectors vectors(parents, parent);
  std::vector<float> query_room;
  std::vector<float> key_room;
  sum.norms = Norm(vectors.Queries(query, query + 1, &query_room).first, vectors.columns()) *
              Norm(vectors.Keys(key, key + 1, &key_room).first, vectors.columns());
  return sum;
}

Result<DotCheck> CheckDots(const LayerAttention& parents,
                           std::int64_t parent,
                           const LayerAttention& children,
                           std::span<const std::int64_t> heads,
                           const std::stop_token& stop) {
  const AttentionShape& shape = parents.shape();
  const AttentionRule& rule = parents.rule();
  HEADSCOPE_CHECK(shape.queries == children.shape().queries && shape.keys == children.shape().keys,
                  "parents and children are of the same text");
  const HeadRows whole(parents, parent);
  std::vector<std::unique_ptr<HeadRows>> parts;
  for (const std::int64_t head : heads) {
    parts.push_back(std::make_unique<HeadRows>(children, head));
  }
  std::vector<double> key_norms;
  for (std::int64_t key = 0; key < shape.keys; ++key) {
    key_norms.push_back(Norm(whole.Key(key), whole.vectors.columns()));
  }
  DotCheck most;
#pragma omp parallel default(none) shared(shape, rule, whole, parts, key_norms, most, stop)
  {
    DotCheck own;
#pragma omp for schedule(dynamic, 8) nowait
    for (std::int64_t query = 0; query < shape.queries; ++query) {
      if (stop.stop_requested()) {
        continue;
      }
      const double query_norm = Norm(whole.Query(query), whole.vectors.columns());
      const std::int64_t last = rule.LastVisible(query, shape.keys);
      for (std::int64_t key = rule.FirstVisible(query); key < last; ++key) {
        float sum = 0.0F;
        for (const auto& part : parts) {
          sum += part->Product(query, key);
        }
        const float difference = std::abs(sum - whole.Product(query, key));
        const double norms = query_norm * key_norms[static_cast<std::size_t>(key)];
        Take({.largest = static_cast<double>(difference),
              .relative = norms > 0.0 ? static_cast<double>(difference) / norms : 0.0,
              .query = query,
              .key = key,
              .cells = 1},
             &own);
      }
    }
#pragma omp critical
    Take(own, &most);
  }
  HEADSCOPE_TRY(CheckStop(stop));
  return most;
}

}  // namespace headscope
