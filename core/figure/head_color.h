// The colours of a layer's heads where several are drawn at once: no two heads of a layer share one.
//
// Units    8 bits a channel, sRGB.
// Source   hues at equal steps of OKLCH (Ottosson 2020), in bands of lightness where there are many;
//          3 to 1 or more against the theme's panel, as WCAG 2 asks of graphics.
#pragma once

#include <cstdint>

#include "core/figure/color_scale.h"

namespace headscope {

// 0 <= head < heads.
[[nodiscard]] Rgb ColorOfHead(std::int64_t head, std::int64_t heads, Theme theme);

}  // namespace headscope
