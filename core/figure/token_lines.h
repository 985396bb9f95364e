// Weights as lines between two columns of tokens: queries at the left, keys at the right, the same
// in the window and in figures. A line is as opaque as its weight is high on the scale of the map.
//
// Units    the painter's pixels; the part shown is in tokens, fractions allowed.
// Cost     LinesBetween: linear in the weights.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/attention/kept_weights.h"
#include "core/figure/color_scale.h"
#include "core/figure/rect.h"
#include "core/figure/stroke.h"

namespace headscope {

// How a head's lines are drawn.
struct LineInk {
  Rgb color;
  ColorScale scale;
};

// What a colour stands for.
struct NamedInk {
  Rgb color;
  std::string name;
};

// How opaque a weight's line is, from 0 to 1.
[[nodiscard]] float StrengthOf(const KeptWeight& weight, const ColorScale& scale);

// The columns stand at the left and the right edge of `field`.
struct LinesPlace {
  Rect field;
  double first_query = 0.0;
  double first_key = 0.0;
  double shown_queries = 1.0;
  double shown_keys = 1.0;
  float unit = 1.0F;  // of thickness

  [[nodiscard]] double query_pitch() const {
    return static_cast<double>(field.height) / shown_queries;
  }
  [[nodiscard]] double key_pitch() const { return static_cast<double>(field.height) / shown_keys; }
  // The middle of a token; may lie outside of the field.
  [[nodiscard]] float QueryY(std::int64_t query) const;
  [[nodiscard]] float KeyY(std::int64_t key) const;
};

// `inks`: of each head.
[[nodiscard]] Stroke LineOf(const KeptWeight& weight,
                            std::span<const LineInk> inks,
                            const LinesPlace& place);
// One line for each weight that is at least partly within the field, in the order of `weights`.
[[nodiscard]] std::vector<Stroke> LinesBetween(std::span<const KeptWeight> weights,
                                               std::span<const LineInk> inks,
                                               const LinesPlace& place);

// What is drawn and what is not, in words: "Largest weights up to 90 % of what each row gives its
// tokens: 41 lines hold 92 % of all attention; 8 % in 60 smaller weights is not drawn."
enum class LinesSubject { kAllRows, kRow, kColumn };
[[nodiscard]] std::string LinesWords(const KeepRule& rule,
                                     const KeptWeights& kept,
                                     LinesSubject of = LinesSubject::kAllRows);

}  // namespace headscope
