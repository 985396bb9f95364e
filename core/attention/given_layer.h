// Makes a layer of weights that are given: its thumbnails, and the largest weight of each head.
//
// Errors   kCancelled.
// Threads  OpenMP's; not for the drawing thread.
// Cost     each weight is read once.
#pragma once

#include <memory>
#include <stop_token>
#include <vector>

#include "core/attention/layer_attention.h"

namespace headscope {

// Weights [H, n, m] of that shape, kept as long as the layer.
[[nodiscard]] GivenWeights HeldWeights(const std::shared_ptr<const std::vector<float>>& weights,
                                       const AttentionShape& shape);

// `content` has its weights, shape and rule. `thumbnail_size`: cells on a side, at most.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> MakeGivenLayer(
    LayerAttention::Content content, std::int64_t thumbnail_size, const std::stop_token& stop);

}  // namespace headscope
