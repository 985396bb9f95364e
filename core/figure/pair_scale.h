// The colours of two heads side by side and of their difference, for the screen and for figures
// alike.
//
// Cost     visits each layer for a global range.
#pragma once

#include <cstdint>

#include "core/compare/compared_pair.h"
#include "core/figure/color_scale.h"

namespace headscope {

// Returns one scale for both heads: a measured range is measured over both sides.
[[nodiscard]] ColorScale ScaleOfPair(const ColorScale& scale,
                                     const ComparedPair& pair,
                                     std::int64_t layer,
                                     std::int64_t a,
                                     std::int64_t b);

// The scale of a difference's absolute value: up to 1 if the range is fixed, otherwise up to
// `furthest`, or 1 where that is no more than rounding.
[[nodiscard]] ColorScale ScaleOfDifference(const ColorScale& scale, float furthest);

// Returns the position of the difference on the diverging colour map: 0.5 is no difference; kMasked
// if there is no such cell.
[[nodiscard]] float DifferencePosition(const ColorScale& scale, float difference);

}  // namespace headscope
