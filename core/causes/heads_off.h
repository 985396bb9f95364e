// Which heads are taken away, and what stands in their place; and which edges of attention are cut:
// weights that are set to 0 while the rest of the head goes on.
//
// Threads  plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/heads/measure/head_name.h"

namespace headscope {

// 0, its mean over other texts (of all rows, or of each position), or its mean over this text.
enum class Replacement { kZero, kProbeMean, kPositionMean, kTextMean };
// "zero", "mean", "position" and "text".
[[nodiscard]] std::string_view ReplacementName(Replacement replacement);
[[nodiscard]] std::optional<Replacement> ParseReplacement(std::string_view name);
// "zero", "mean of other texts", "mean of other texts at each position", "mean of this text"
[[nodiscard]] std::string_view ReplacementWords(Replacement replacement);
[[nodiscard]] constexpr bool IsOfOtherTexts(Replacement replacement) {
  return replacement == Replacement::kProbeMean || replacement == Replacement::kPositionMean;
}

// What a row of a head gives to a key, or what all its rows give to it.
struct CutEdge {
  HeadIndex head;
  std::int64_t key = 0;
  std::optional<std::int64_t> row = {};  // none: every row
  friend bool operator==(const CutEdge&, const CutEdge&) = default;
  friend auto operator<=>(const CutEdge&, const CutEdge&) = default;
};
[[nodiscard]] std::string EdgeName(const CutEdge& edge);  // "L1H0:3", "L1H0:5:3" (row 5)

// Each head and each edge once, in order.
struct HeadsOff {
  std::vector<HeadIndex> heads = {};
  Replacement replacement = Replacement::kZero;
  std::vector<CutEdge> edges = {};
  // Whether the rest of a row is divided by its sum, as if the key were masked; a sink is part of the
  // rest. Else it stays as it was.
  bool renormalises = false;

  [[nodiscard]] bool IsEmpty() const { return heads.empty() && edges.empty(); }
  friend bool operator==(const HeadsOff&, const HeadsOff&) = default;
};

// The heads that are off or have an edge less, each once, in order.
[[nodiscard]] std::vector<HeadIndex> HeadsTouched(const HeadsOff& off);

// The stack that a part of a model runs in: cross-attention in the decoder's.
[[nodiscard]] constexpr ModelPart StackThatRuns(ModelPart part) {
  return part == ModelPart::kCross ? ModelPart::kDecoder : part;
}
// Whether a layer is computed before another.
[[nodiscard]] bool RunsBefore(LayerId layer, LayerId other);
// The first layer with a head or an edge less; there is one.
[[nodiscard]] LayerId FirstLayerOf(const HeadsOff& off);
// Whether maps of a layer are others without these heads and edges: those that read what they wrote.
[[nodiscard]] bool IsChangedBy(LayerId layer, const HeadsOff& off);

}  // namespace headscope
