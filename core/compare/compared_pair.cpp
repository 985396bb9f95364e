#include "core/compare/compared_pair.h"

#include <algorithm>

namespace headscope {
namespace {

const std::shared_ptr<const LayerAttention>& FindInComparedPair(
    const std::vector<std::shared_ptr<const LayerAttention>>& layers, std::int64_t number) {
  static const std::shared_ptr<const LayerAttention> kNone;
  const auto found =
      std::ranges::find_if(layers, [&](const auto& layer) { return layer->layer() == number; });
  return found != layers.end() ? *found : kNone;
}

}  // namespace

const std::shared_ptr<const LayerAttention>& ComparedPair::LayerA(std::int64_t layer) const {
  return FindInComparedPair(a, layer);
}

const std::shared_ptr<const LayerAttention>& ComparedPair::LayerB(std::int64_t layer) const {
  return FindInComparedPair(b, layer);
}

const LayerComparison* ComparedPair::Layer(std::int64_t layer) const {
  const auto found = std::ranges::find(comparison.layers, layer, &LayerComparison::layer);
  return found != comparison.layers.end() ? &*found : nullptr;
}

}  // namespace headscope
