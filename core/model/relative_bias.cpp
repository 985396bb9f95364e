#include "core/model/relative_bias.h"

#include <algorithm>
#include <cmath>

namespace headscope {

std::int64_t BucketOf(const BucketRule& rule, std::int64_t distance) {
  std::int64_t buckets = rule.buckets;
  std::int64_t first = 0;
  if (rule.is_bidirectional) {
    buckets /= 2;
    first = distance > 0 ? buckets : 0;
    distance = distance < 0 ? -distance : distance;
  } else {
    distance = distance < 0 ? -distance : 0;
  }
  const std::int64_t exact = buckets / 2;
  if (distance < exact) {
    return first + distance;
  }
  // Rounds every step as transformers does, so that no distance falls into the next bucket.
  const float ratio = std::log(static_cast<float>(distance) / static_cast<float>(exact));
  const auto whole = static_cast<float>(
      std::log(static_cast<double>(rule.max_distance) / static_cast<double>(exact)));
  const float share = ratio / whole * static_cast<float>(buckets - exact);
  return first + std::min(exact + static_cast<std::int64_t>(share), buckets - 1);
}

RelativeBias MakeRelativeBias(const BucketRule& rule,
                              std::int64_t heads,
                              std::span<const float> table) {
  RelativeBias bias;
  bias.span = rule.max_distance;
  for (std::int64_t head = 0; head < heads; ++head) {
    for (std::int64_t distance = -bias.span; distance <= bias.span; ++distance) {
      const std::int64_t cell = BucketOf(rule, distance) * heads + head;
      bias.values.push_back(table[static_cast<std::size_t>(cell)]);
    }
  }
  return bias;
}

}  // namespace headscope
