// The maps [h, n, n] of one cut in double, by the formula, one head after another: the reference
// for CutLayer, with columns as in HeadCut.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/layer_attention.h"

namespace headscope {

[[nodiscard]] std::vector<double> SplitMapsReference(
    const LayerAttention& layer, std::span<const std::vector<std::int32_t>> columns);

}  // namespace headscope
