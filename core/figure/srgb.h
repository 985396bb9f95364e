// From the values of sRGB, which pictures and screens hold, to light and back.
//
// Units    both 0 to 1.
// Threads  any.
// Source   IEC 61966-2-1.
#pragma once

#include <cmath>

namespace headscope {

[[nodiscard]] inline double LightOfSrgb(double value) {
  return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
}
[[nodiscard]] inline double SrgbOfLight(double light) {
  return light <= 0.0031308 ? 12.92 * light : 1.055 * std::pow(light, 1.0 / 2.4) - 0.055;
}

}  // namespace headscope
