// exp, tanh, sigmoid, erfc and the activations made from them, for one float: the building blocks
// of the loops in float_kernels.cpp, and of nothing else.
//
// Source   float_kernels.h.
#pragma once

#include <bit>
#include <cstdint>

#include "core/compute/vector_code.h"

namespace headscope {

constexpr float kLog2E = 1.44269504F;
constexpr float kLn2High = 0.693359375F;  // few bits: n * kLn2High is exact
constexpr float kLn2Low = -2.12194440e-4F;
constexpr float kRounder = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
constexpr std::uint32_t kRounderBits = 0x4B400000U;

struct Reduced {
  float expm1 = 0.0F;  // exp(r) - 1
  float power = 0.0F;  // 2^n
};

HEADSCOPE_BODY Reduced Reduce(float x) {
  const float shifted = x * kLog2E + kRounder;
  const float n = shifted - kRounder;
  const float r = (x - n * kLn2High) - n * kLn2Low;
  float series = 1.0F / 5040.0F;
  series = series * r + 1.0F / 720.0F;
  series = series * r + 1.0F / 120.0F;
  series = series * r + 1.0F / 24.0F;
  series = series * r + 1.0F / 6.0F;
  series = series * r + 0.5F;
  const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) - kRounderBits + 127U;
  return {(series * r) * r + r, std::bit_cast<float>(exponent << 23U)};
}

// exp(x) for x <= 0; 0 where the result would be subnormal.
HEADSCOPE_BODY float ExpOfNegative(float x) {
  constexpr float kSmallest = -87.0F;
  const Reduced reduced = Reduce(x < kSmallest ? kSmallest : x);
  const float value = reduced.power * reduced.expm1 + reduced.power;
  return x < kSmallest ? 0.0F : value;
}

HEADSCOPE_BODY float Tanh(float x) {
  const float magnitude = x < 0.0F ? -x : x;
  const Reduced reduced = Reduce(magnitude > 10.0F ? 20.0F : 2.0F * magnitude);
  const float expm1 = reduced.power * reduced.expm1 + (reduced.power - 1.0F);
  const float value = expm1 / (expm1 + 2.0F);
  return x < 0.0F ? -value : value;
}

HEADSCOPE_BODY float Sigmoid(float x) {
  const float power = ExpOfNegative(x < 0.0F ? x : -x);
  const float small = power / (1.0F + power);
  return x < 0.0F ? small : 1.0F - small;
}

// erfc(x) for x >= 0.
HEADSCOPE_BODY float ErfcOfPositive(float x) {
  const float t = 1.0F / (1.0F + 0.5F * x);
  float series = -0.0339267775F;
  series = series * t + 0.257010281F;
  series = series * t - 0.709431529F;
  series = series * t + 0.792213261F;
  series = series * t - 0.236773178F;
  series = series * t + 0.395601958F;
  series = series * t + 0.249401301F;
  series = series * t + 0.286117077F;
  series = series * t - 0.000212288578F;
  return series * ExpOfNegative(-x * x);
}

HEADSCOPE_BODY float Gelu(float x) {
  constexpr float kSqrtHalf = 0.707106781F;
  const float tail = 0.5F * x * ErfcOfPositive((x < 0.0F ? -x : x) * kSqrtHalf);
  return x < 0.0F ? tail : x - tail;
}

HEADSCOPE_BODY float GeluTanh(float x) {
  constexpr float kTwiceSqrtTwoOverPi = 1.59576912F;
  return x * Sigmoid(kTwiceSqrtTwoOverPi * (x + 0.044715F * x * x * x));
}

}  // namespace headscope
