// A logarithm for many numbers at once, without a table or a branch.
//
// Errors   none; x must be positive and normal.
// Source   x = 2^n f with f in [sqrt(1/2), sqrt(2)), and ln f = 2 atanh((f - 1) / (f + 1)), whose
//          series ends at s^9; relative error 3e-7.
#pragma once

#include <bit>
#include <cstdint>

#include "core/compute/vector_code.h"

namespace headscope {

HEADSCOPE_BODY float LaneLog(float x) {
  constexpr std::uint32_t kRootHalfBits = 0x3F3504F3U;
  constexpr float kLn2 = 0.693147181F;
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const std::uint32_t shifted = bits - kRootHalfBits;
  const std::int32_t power = static_cast<std::int32_t>(shifted) >> 23;
  const float f = std::bit_cast<float>((shifted & 0x007FFFFFU) + kRootHalfBits);
  const float s = (f - 1.0F) / (f + 1.0F);
  const float z = s * s;
  float series = 2.0F / 9.0F;
  series = series * z + 2.0F / 7.0F;
  series = series * z + 2.0F / 5.0F;
  series = series * z + 2.0F / 3.0F;
  series = series * z * s + 2.0F * s;
  return static_cast<float>(power) * kLn2 + series;
}

}  // namespace headscope
