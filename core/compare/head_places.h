// Places heads in a plane so that those whose maps are alike lie near each other.
//
// The squared distance of two heads is the mean over rows of the Jensen-Shannon divergence of their
// weights; these are distances in a Euclidean space of many dimensions, of which classical scaling
// shows the two that hold most of the variance.
//
// Shapes   one place for each head of the layers, in their order.
// Units    places: the root of nats, their mean at 0. share: 0 to 1.
// Errors   kInput: less than three heads, more than 2,048, or no row that sees two keys. kCancelled.
// Threads  any but the one that draws.
// Cost     at most 64 rows, fewer where heads and keys are many: about 10^9 weights are compared.
// Source   Torgerson 1952 (classical scaling); Endres and Schindelin 2003, Fuglede and Topsøe 2004 (the
//          root of the divergence is a distance, and Euclidean).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"
#include "core/base/error.h"
#include "core/heads/measure/head_name.h"

namespace headscope {

struct HeadPlace {
  HeadIndex head;
  double x = 0.0;
  double y = 0.0;
};
struct HeadPlaces {
  std::vector<HeadPlace> heads;
  double share_x = 0.0;  // of the variance of all distances, along either axis
  double share_y = 0.0;
  std::int64_t rows = 0;  // that were compared

  [[nodiscard]] double share() const { return share_x + share_y; }
};

inline constexpr std::int64_t kMostPlacedHeads = 2048;

// Layers are of one part; those without weights (null) and of another shape are left out. `on_row` is
// told how many rows are done, and of how many.
[[nodiscard]] Result<HeadPlaces> PlaceHeads(
    std::span<const std::shared_ptr<const LayerAttention>> layers,
    ModelPart part,
    const std::function<void(std::int64_t, std::int64_t)>& on_row,
    const std::stop_token& stop);

// Classical scaling of squared distances [n, n] to places of which two coordinates are returned, the one
// with most variance first; the largest number of each is positive. Exposed for tests.
struct ScaledPlaces {
  std::vector<double> x;
  std::vector<double> y;
  double share_x = 0.0;
  double share_y = 0.0;
};
[[nodiscard]] Result<ScaledPlaces> ScaleToPlane(std::vector<double> squared,
                                                std::int64_t count,
                                                const std::stop_token& stop);

}  // namespace headscope
