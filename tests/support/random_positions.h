// Vectors of positions of random numbers, and what they add to scores, term by term.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/random.h"
#include "core/compute/attention.h"

namespace headscope::test {

// Rows run down from the one of a key `span` after the query; the two nearest keys before it share
// one.
inline std::shared_ptr<const PositionVectors> RandomPositions(const AttentionShape& shape,
                                                              std::int64_t span,
                                                              bool has_keys,
                                                              bool has_queries,
                                                              std::uint64_t seed) {
  PositionVectors made{.heads = shape.heads,
                       .head_dim = shape.head_dim,
                       .span = span,
                       .row = {},
                       .keys = {},
                       .queries = {}};
  for (std::int64_t i = 0; i <= 2 * span; ++i) {
    made.row.push_back(static_cast<std::int32_t>(i > span + 1 ? i - 1 : i));
  }
  RandomStream random(seed);
  const std::int64_t cells = 2 * span * shape.heads * shape.head_dim;
  for (std::int64_t i = 0; i < cells; ++i) {
    if (has_keys) {
      made.keys.push_back(static_cast<float>(random.Normal()));
    }
    if (has_queries) {
      made.queries.push_back(static_cast<float>(random.Normal()));
    }
  }
  return std::make_shared<const PositionVectors>(std::move(made));
}

// The score of one cell in double: contents with each other, and each with the other's position.
inline double ScoreWithPositions(const AttentionShape& shape,
                                 const AttentionRule& rule,
                                 const std::vector<float>& queries,
                                 const std::vector<float>& keys,
                                 std::int64_t head,
                                 std::int64_t query,
                                 std::int64_t key) {
  const PositionVectors& positions = *rule.positions;
  const std::int64_t distance =
      std::clamp(query + rule.offset - key, -positions.span, positions.span);
  const std::int64_t row = positions.row[static_cast<std::size_t>(distance + positions.span)];
  double sum = 0.0;
  for (std::int64_t i = 0; i < shape.head_dim; ++i) {
    const auto at = [&](const std::vector<float>& values, std::int64_t place) {
      return static_cast<double>(
          values[static_cast<std::size_t>((place * shape.heads + head) * shape.head_dim + i)]);
    };
    const double q = at(queries, query);
    const double k = at(keys, key);
    sum += q * k;
    sum += positions.keys.empty() ? 0.0 : q * at(positions.keys, row);
    sum += positions.queries.empty() ? 0.0 : k * at(positions.queries, row);
  }
  return rule.scale * sum;
}

}  // namespace headscope::test
