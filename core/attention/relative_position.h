// How far back or ahead a head looks on one text, and how evenly its rows are spread.
//
// Shapes   one entry for each distance from -kFurthest to +kFurthest, or one for each row.
// Units    weights; entropies in nats.
// Cost     one pass over the map.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/attention/map_view.h"

namespace headscope {

struct RelativeAttention {
  static constexpr std::int64_t kFurthest = 10;
  static constexpr std::size_t kCount = 2 * kFurthest + 1;

  std::array<double, kCount> mean{};        // weight at that distance, over the rows that see it
  std::array<std::int64_t, kCount> rows{};  // that see it
  [[nodiscard]] bool sees_ahead() const;    // whether a row sees a key after it
};

// `map` is not pooled: rows are queries, columns keys. `shift`: how many rows a key's place
// lies after its token's row; 1 in cross-attention, whose row q has read the token at place q - 1.
[[nodiscard]] RelativeAttention AttentionByDistance(const Thumbnail& map, std::int64_t shift = 0);
// The same of a map of any size; makes every row.
[[nodiscard]] RelativeAttention AttentionByDistance(const MapView& view, std::int64_t shift = 0);

struct RowEntropies {
  std::vector<double> nats;  // -sum over keys of A log A
  std::vector<double> most;  // log of the number of keys that the row sees: even attention's
};
// Likewise.
[[nodiscard]] RowEntropies EntropyByRow(const Thumbnail& map);

}  // namespace headscope
