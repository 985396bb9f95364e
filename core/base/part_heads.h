// The layers and heads of a part of a model, whether they are computed, read from a file or shown.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/model_part.h"

namespace headscope {

struct PartHeads {
  ModelPart part = ModelPart::kWhole;
  // The number of each layer, ascending: 0, 1, ... unless a file holds only some of them.
  std::vector<std::int64_t> layers = {};
  std::int64_t heads = 0;  // in each layer
  friend bool operator==(const PartHeads&, const PartHeads&) = default;

  // One past the last layer's number, as if none were left out.
  [[nodiscard]] std::int64_t end_layer() const { return layers.empty() ? 0 : layers.back() + 1; }
  [[nodiscard]] bool HasLayer(std::int64_t layer) const {
    return std::ranges::binary_search(layers, layer);
  }
};

// Layers 0 to `num_layers` - 1.
[[nodiscard]] inline std::vector<std::int64_t> LayersFromZero(std::int64_t num_layers) {
  std::vector<std::int64_t> layers(static_cast<std::size_t>(num_layers));
  std::iota(layers.begin(), layers.end(), std::int64_t{0});
  return layers;
}

// Layer numbers as text: "0 to 5", "2, 3, 7" where some are left out, or the only one.
[[nodiscard]] std::string LayersText(const std::vector<std::int64_t>& layers);

}  // namespace headscope
