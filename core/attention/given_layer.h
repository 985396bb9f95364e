// Makes a layer of weights that are given: its thumbnails, and the largest weight of each head.
//
// Errors   kCancelled.
// Threads  OpenMP's; not for the drawing thread.
// Cost     each weight is read once.
#pragma once

#include <memory>
#include <stop_token>

#include "core/attention/layer_attention.h"

namespace headscope {

// `content` has its weights, shape and rule. `thumbnail_size`: cells on a side, at most.
[[nodiscard]] Result<std::shared_ptr<const LayerAttention>> MakeGivenLayer(
    LayerAttention::Content content, std::int64_t thumbnail_size, const std::stop_token& stop);

}  // namespace headscope
