// T5's relative positions: distances in buckets, a learned number for each bucket and head.
//
// Shapes   table [buckets, heads]; result [heads, 2 span + 1], span = max_distance.
// Source   Raffel 2020; buckets as transformers' T5Attention counts them, in float32.
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

// The bucket of a key that lies `distance` after the query (before it: negative).
[[nodiscard]] std::int64_t BucketOf(const BucketRule& rule, std::int64_t distance);

[[nodiscard]] RelativeBias MakeRelativeBias(const BucketRule& rule,
                                            std::int64_t heads,
                                            std::span<const float> table);

}  // namespace headscope
