// The divergences of one layer by the formula, in double, one pair of heads after another: the
// reference for CompareLayer.
#pragma once

#include <vector>

#include "core/attention/layer_attention.h"
#include "core/compare/shared_axis.h"

namespace headscope {

[[nodiscard]] std::vector<double> CompareLayerReference(const LayerAttention& a,
                                                        const LayerAttention& b,
                                                        const SharedAxis& queries,
                                                        const SharedAxis& keys);

}  // namespace headscope
