#include "core/model/position_rows.h"

#include <algorithm>
#include <cmath>

namespace headscope {
namespace {

// Rounds every step as transformers does, so that no distance falls into the next bucket.
std::int64_t BucketOf(const PositionRowRule& rule, std::int64_t distance) {
  const std::int64_t exact = rule.span / 2;
  if (!rule.has_buckets || distance <= exact) {
    return distance;
  }
  const float ratio = std::log(static_cast<float>(distance) / static_cast<float>(exact));
  const float whole = std::log(
      static_cast<float>(static_cast<double>(rule.max_distance - 1) / static_cast<double>(exact)));
  return static_cast<std::int64_t>(std::ceil(ratio / whole * static_cast<float>(exact - 1))) +
         exact;
}

}  // namespace

std::vector<std::int32_t> RowsOfDistances(const PositionRowRule& rule) {
  std::vector<std::int32_t> after;   // of keys 1, 2, ... after the query
  std::vector<std::int32_t> before;  // and before it
  for (std::int64_t distance = 1;; ++distance) {
    const std::int64_t bucket = BucketOf(rule, distance);
    after.push_back(static_cast<std::int32_t>(std::max<std::int64_t>(rule.span - bucket, 0)));
    before.push_back(static_cast<std::int32_t>(std::min(rule.span + bucket, 2 * rule.span - 1)));
    if (bucket >= rule.span) {
      break;
    }
  }
  std::vector<std::int32_t> rows(after.rbegin(), after.rend());
  rows.push_back(static_cast<std::int32_t>(rule.span));
  rows.insert(rows.end(), before.begin(), before.end());
  return rows;
}

}  // namespace headscope
