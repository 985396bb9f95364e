#include "core/compute/position_scores.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "core/compute/float_kernels.h"

namespace headscope {
namespace {

template <typename Number>
Number Dot(const float* a, const float* b, std::int64_t count) {
  if constexpr (std::is_same_v<Number, double>) {
    return Kernels().dot_in_double(a, b, count);
  } else {
    return Kernels().dot(a, b, count);
  }
}

template <typename Number>
void Add(const AttentionRule& rule,
         std::int64_t head,
         std::int64_t query,
         const float* query_columns,
         const KeyRows& keys,
         std::span<Number> scores) {
  const PositionVectors& positions = *rule.positions;
  const auto scale = static_cast<Number>(rule.scale);
  std::int64_t last_row = -1;
  Number with_query = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const auto step = static_cast<std::int64_t>(i);
    const std::int64_t row = positions.RowOf(query + rule.offset - keys.first - step);
    if (row != std::exchange(last_row, row) && !positions.keys.empty()) {
      with_query = Dot<Number>(query_columns, positions.Key(head, row), positions.head_dim);
    }
    Number sum = with_query;
    if (!positions.queries.empty()) {
      sum += Dot<Number>(
          keys.data + step * keys.stride, positions.Query(head, row), positions.head_dim);
    }
    scores[i] += scale * sum;
  }
}

}  // namespace

void AddPositionScores(const AttentionRule& rule,
                       std::int64_t head,
                       std::int64_t query,
                       const float* query_columns,
                       const KeyRows& keys,
                       std::span<float> scores) {
  Add(rule, head, query, query_columns, keys, scores);
}

void AddPositionScores(const AttentionRule& rule,
                       std::int64_t head,
                       std::int64_t query,
                       const float* query_columns,
                       const KeyRows& keys,
                       std::span<double> scores) {
  Add(rule, head, query, query_columns, keys, scores);
}

PositionScore PositionScoreOf(const AttentionRule& rule,
                              std::int64_t head,
                              std::int64_t query,
                              std::int64_t key,
                              std::span<const double> query_columns,
                              std::span<const double> key_columns) {
  if (rule.positions == nullptr) {
    return {};
  }
  const PositionVectors& positions = *rule.positions;
  const std::int64_t row = positions.RowOf(query + rule.offset - key);
  const auto product = [&](std::span<const double> content, const float* position) {
    return rule.scale * std::inner_product(content.begin(), content.end(), position, 0.0);
  };
  PositionScore score;
  if (!positions.keys.empty()) {
    score.query_content = product(query_columns, positions.Key(head, row));
  }
  if (!positions.queries.empty()) {
    score.key_content = product(key_columns, positions.Query(head, row));
  }
  return score;
}

std::shared_ptr<const PositionVectors> PositionsOfHead(const AttentionRule& rule,
                                                       std::int64_t head) {
  if (rule.positions == nullptr) {
    return nullptr;
  }
  const PositionVectors& all = *rule.positions;
  PositionVectors own{.heads = 1,
                      .head_dim = all.head_dim,
                      .span = all.span,
                      .row = all.row,
                      .keys = {},
                      .queries = {}};
  const std::int64_t rows = 1 + *std::ranges::max_element(all.row);
  for (std::int64_t row = 0; row < rows; ++row) {
    if (!all.keys.empty()) {
      own.keys.insert(own.keys.end(), all.Key(head, row), all.Key(head, row) + all.head_dim);
    }
    if (!all.queries.empty()) {
      own.queries.insert(
          own.queries.end(), all.Query(head, row), all.Query(head, row) + all.head_dim);
    }
  }
  return std::make_shared<const PositionVectors>(std::move(own));
}

}  // namespace headscope
