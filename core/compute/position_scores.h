// What a rule with vectors of positions adds to scores (attention.h, PositionVectors).
//
// Shapes   a query or key is the head's head_dim columns.
// Units    scaled, as the scores.
// Cost     two products of head_dim terms per cell; keys in a row that share a position's row share
//          the product with the query.
// Source   He 2021, eq. 4: content to position and position to content.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "core/compute/attention.h"

namespace headscope {

// The rows of a head's keys, whose first one is the key `first`.
struct KeyRows {
  const float* data = nullptr;
  std::int64_t stride = 0;
  std::int64_t first = 0;
};

// Adds them to the scores of one row. The rule must have positions.
void AddPositionScores(const AttentionRule& rule,
                       std::int64_t head,
                       std::int64_t query,
                       const float* query_columns,
                       const KeyRows& keys,
                       std::span<float> scores);
void AddPositionScores(const AttentionRule& rule,
                       std::int64_t head,
                       std::int64_t query,
                       const float* query_columns,
                       const KeyRows& keys,
                       std::span<double> scores);

// The two parts of one cell; 0 without positions.
struct PositionScore {
  double query_content = 0.0;  // the query's content with the key's position
  double key_content = 0.0;    // the key's content with the query's position
};
[[nodiscard]] PositionScore PositionScoreOf(const AttentionRule& rule,
                                            std::int64_t head,
                                            std::int64_t query,
                                            std::int64_t key,
                                            std::span<const double> query_columns,
                                            std::span<const double> key_columns);

// The part of one head, as its only one; null without positions.
[[nodiscard]] std::shared_ptr<const PositionVectors> PositionsOfHead(const AttentionRule& rule,
                                                                     std::int64_t head);

}  // namespace headscope
