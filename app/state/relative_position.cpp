#include "app/state/relative_position.h"

namespace headscope {

RelativeAttention AttentionByDistance(const Thumbnail& map, std::int64_t shift) {
  RelativeAttention shares;
  for (std::int64_t query = shift; query < map.rows; ++query) {
    for (std::size_t i = 0; i < RelativeAttention::kCount; ++i) {
      const std::int64_t key =
          query - shift + static_cast<std::int64_t>(i) - RelativeAttention::kFurthest;
      if (key < 0 || key >= map.cols) {
        continue;
      }
      const float weight = map.mean[static_cast<std::size_t>(query * map.cols + key)];
      if (weight >= 0.0F) {  // else masked
        shares.mean[i] += static_cast<double>(weight);
        ++shares.rows[i];
      }
    }
  }
  for (std::size_t i = 0; i < RelativeAttention::kCount; ++i) {
    shares.mean[i] /= shares.rows[i] > 0 ? static_cast<double>(shares.rows[i]) : 1.0;
  }
  return shares;
}

}  // namespace headscope
