// Heads by name: "L5H1", from zero; in an encoder-decoder E0H1 (encoder), D0H1 (decoder), X0H1
// (cross).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/model_part.h"

namespace headscope {

struct HeadIndex {
  std::int64_t layer = 0;
  std::int64_t head = 0;
  ModelPart part = ModelPart::kWhole;
  friend bool operator==(const HeadIndex&, const HeadIndex&) = default;
  friend auto operator<=>(const HeadIndex&, const HeadIndex&) = default;
};

[[nodiscard]] std::string HeadName(HeadIndex index);  // "L5H1"
[[nodiscard]] std::string LayerName(LayerId layer);   // "L5"
[[nodiscard]] std::string LayerWords(LayerId layer);  // "Layer 5", "Cross-attention layer 5"

// "L5H1", "l5h1", "5.1", "5-1", "5 1", "layer 5 head 1", and E, D, X or encoder, decoder, cross
// (layer) in place of L or layer; nothing else.
[[nodiscard]] std::optional<HeadIndex> ParseHeadName(std::string_view text);

}  // namespace headscope
