// Which heads are taken away, and what stands in their place.
//
// Threads  plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/heads/measure/head_name.h"

namespace headscope {

enum class Replacement { kZero, kProbeMean, kTextMean };
// "zero", "mean" and "text".
[[nodiscard]] std::string_view ReplacementName(Replacement replacement);
[[nodiscard]] std::optional<Replacement> ParseReplacement(std::string_view name);

// Each head once, in order.
struct HeadsOff {
  std::vector<HeadIndex> heads;
  Replacement replacement = Replacement::kZero;
  friend bool operator==(const HeadsOff&, const HeadsOff&) = default;
};

// The stack that a part of a model runs in: cross-attention in the decoder's.
[[nodiscard]] constexpr ModelPart StackThatRuns(ModelPart part) {
  return part == ModelPart::kCross ? ModelPart::kDecoder : part;
}
// Whether a layer is computed before another.
[[nodiscard]] bool RunsBefore(LayerId layer, LayerId other);
// The first layer with a head less; there is one.
[[nodiscard]] LayerId FirstLayerOf(const HeadsOff& off);
// Whether maps of a layer are others without these heads: those that read what they wrote.
[[nodiscard]] bool IsChangedBy(LayerId layer, const HeadsOff& off);

}  // namespace headscope
