// T5's relative positions: distances in buckets, with a learned number per bucket and head.
//
// Shapes   table [buckets, heads]; result [heads, 2 span + 1], span = max_distance.
// Source   Raffel 2020; buckets as in transformers' T5Attention, in float32.
#pragma once

#include <cstdint>
#include <span>

#include "core/compute/attention.h"

namespace headscope {

struct BucketRule {
  std::int64_t buckets = 32;
  std::int64_t max_distance = 128;  // further keys share the last bucket
  bool is_bidirectional = true;     // half of the buckets are for keys after the query
};

// Returns the bucket of a key that is `distance` after the query (negative: before it).
[[nodiscard]] std::int64_t BucketOf(const BucketRule& rule, std::int64_t distance);

[[nodiscard]] RelativeBias MakeRelativeBias(const BucketRule& rule,
                                            std::int64_t heads,
                                            std::span<const float> table);

}  // namespace headscope
