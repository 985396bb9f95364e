#include "core/compare/compared_pair.h"

#include <algorithm>

namespace headscope {

const std::shared_ptr<const LayerAttention>& ComparedPair::LayerA(std::int64_t layer) const {
  return FindLayer(a, layer);
}

const std::shared_ptr<const LayerAttention>& ComparedPair::LayerB(std::int64_t layer) const {
  return FindLayer(b, layer);
}

const LayerComparison* ComparedPair::Layer(std::int64_t layer) const {
  const auto found = std::ranges::find(comparison.layers, layer, &LayerComparison::layer);
  return found != comparison.layers.end() ? &*found : nullptr;
}

}  // namespace headscope
