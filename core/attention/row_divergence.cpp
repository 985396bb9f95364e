#include "core/attention/row_divergence.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>

#include "core/compute/instruction_set.h"

#if defined(__x86_64__)
#define HEADSCOPE_HAS_TARGETS 1
#else
#define HEADSCOPE_HAS_TARGETS 0
#endif

// Inlined into one function per instruction set, so that each is compiled for it.
#define HEADSCOPE_BODY [[gnu::always_inline]] inline

namespace headscope {
namespace {

// ln x of a positive normal number: x = 2^n f with f in [sqrt(1/2), sqrt(2)), and
// ln f = 2 atanh((f - 1) / (f + 1)), whose series ends at s^9; relative error 3e-7.
HEADSCOPE_BODY float Log(float x) {
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

// (p + q) g(t), g(t) = (1 + t) ln(1 + t) + (1 - t) ln(1 - t).
HEADSCOPE_BODY float Cell(float p, float q) {
  const float both = p + q;
  const float low = p < q ? p : q;
  const float high = p < q ? q : p;
  constexpr float kTiny = 1e-30F;  // a cell that both leave dark gives 0
  const float inverse = 1.0F / (both > kTiny ? both : 1.0F);
  const float t = (high - low) * inverse;
  // Near one another the logarithms cancel: the series of g, sum of t^2k / (k (2k - 1)).
  const float u = t * t;
  float series = 1.0F / 190.0F;
  series = series * u + 1.0F / 153.0F;
  series = series * u + 1.0F / 120.0F;
  series = series * u + 1.0F / 91.0F;
  series = series * u + 1.0F / 66.0F;
  series = series * u + 1.0F / 45.0F;
  series = series * u + 1.0F / 28.0F;
  series = series * u + 1.0F / 15.0F;
  series = series * u + 1.0F / 6.0F;
  series = series * u + 1.0F;
  const float near = u * series;
  // 1 + t and 1 - t without rounding t.
  const float more = 2.0F * high * inverse;
  const float less = 2.0F * low * inverse;
  const float safe = less > kTiny ? less : kTiny;
  const float far = more * Log(more > 1.0F ? more : 1.0F) + less * Log(safe);
  return both > kTiny ? both * (t < 0.5F ? near : far) : 0.0F;
}

// Lanes side by side, added up in double before float32 could lose digits.
HEADSCOPE_BODY double Sum(const float* one, const float* two, std::int64_t count) {
  constexpr std::int64_t kLanes = 16;
  constexpr std::int64_t kAtOnce = 16 * kLanes;
  double total = 0.0;
  std::int64_t i = 0;
  while (i + kLanes <= count) {
    const std::int64_t end = std::min(count / kLanes * kLanes, i + kAtOnce);
    float sums[kLanes] = {};
    for (; i < end; i += kLanes) {
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        sums[lane] += Cell(one[i + lane], two[i + lane]);
      }
    }
    for (const float sum : sums) {
      total += static_cast<double>(sum);
    }
  }
  for (; i < count; ++i) {
    total += static_cast<double>(Cell(one[i], two[i]));
  }
  return 0.25 * total;
}

using SumOfRows = double (*)(const float* one, const float* two, std::int64_t count);

double SumPlain(const float* one, const float* two, std::int64_t count) {
  return Sum(one, two, count);
}

#if HEADSCOPE_HAS_TARGETS
__attribute__((target("avx2,fma"))) double SumAvx2(const float* one,
                                                   const float* two,
                                                   std::int64_t count) {
  return Sum(one, two, count);
}
#endif

SumOfRows Choose() {
#if HEADSCOPE_HAS_TARGETS
  __builtin_cpu_init();
  if (UsableInstructionSet() >= InstructionSet::kAvx2 && __builtin_cpu_supports("avx2") != 0 &&
      __builtin_cpu_supports("fma") != 0) {
    return SumAvx2;
  }
#endif
  return SumPlain;
}

}  // namespace

double RowDivergence(const float* one, const float* two, std::int64_t count) {
  static const SumOfRows kSum = Choose();
  return kSum(one, two, count);
}

double RowDivergenceReference(std::span<const float> one, std::span<const float> two) {
  double total = 0.0;
  for (std::size_t i = 0; i < one.size(); ++i) {
    const double p = static_cast<double>(one[i]);
    const double q = static_cast<double>(two[i]);
    const double mean = 0.5 * (p + q);
    total += p > 0.0 ? 0.5 * p * std::log(p / mean) : 0.0;
    total += q > 0.0 ? 0.5 * q * std::log(q / mean) : 0.0;
  }
  return std::max(0.0, total);
}

}  // namespace headscope
