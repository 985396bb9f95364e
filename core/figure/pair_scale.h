// The colours of two heads side by side, and of what lies between them; for the screen and for
// figures alike.
//
// Threads  plain functions.
// Cost     a look at each layer for a global range.
#pragma once

#include <cstdint>

#include "core/compare/compared_pair.h"
#include "core/figure/color_scale.h"

namespace headscope {

// One scale for both heads: a range that is measured is measured over both sides.
[[nodiscard]] ColorScale ScaleOfPair(const ColorScale& scale,
                                     const ComparedPair& pair,
                                     std::int64_t layer,
                                     std::int64_t a,
                                     std::int64_t b);

// Of a difference's distance from 0: to 1 where the range is fixed, else to the furthest.
[[nodiscard]] ColorScale ScaleOfDifference(const ColorScale& scale, float furthest);

// The difference along the diverging colours: 0.5 is none; kMasked where there is no such cell.
[[nodiscard]] float DifferencePosition(const ColorScale& scale, float difference);

// "square root"
[[nodiscard]] const char* CurveWords(Curve curve);

}  // namespace headscope
