// Which row of a table of relative positions a distance has (DeBERTa).
//
// Shapes   rows [2 span]; a key at the query has row `span`, keys before it later ones.
// Source   He 2021; buckets as in transformers' make_log_bucket_position, in float32.
#pragma once

#include <cstdint>
#include <vector>

namespace headscope {

struct PositionRowRule {
  std::int64_t span = 512;          // half of the rows
  bool has_buckets = false;         // distances from span / 2 on share rows, ever more of them
  std::int64_t max_distance = 512;  // with buckets: further keys share the outermost row
};

// Returns the rows of distances from -far to far, of a key after the query to one before it; further
// keys have the row of the furthest.
[[nodiscard]] std::vector<std::int32_t> RowsOfDistances(const PositionRowRule& rule);

}  // namespace headscope
