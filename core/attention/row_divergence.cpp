#include "core/attention/row_divergence.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/attention/lane_log.h"
#include "core/compute/instruction_set.h"

#if defined(__x86_64__)
#define HEADSCOPE_HAS_TARGETS 1
#else
#define HEADSCOPE_HAS_TARGETS 0
#endif

namespace headscope {
namespace {

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
  const float far = more * LaneLog(more > 1.0F ? more : 1.0F) + less * LaneLog(safe);
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
__attribute__((target("avx512f,avx512vl,avx512bw,avx512dq,avx2,fma"))) double SumAvx512(
    const float* one, const float* two, std::int64_t count) {
  return Sum(one, two, count);
}
#endif

SumOfRows Choose() {
#if HEADSCOPE_HAS_TARGETS
  if (UsableAvx512()) {
    return SumAvx512;
  }
  if (UsableAvx2()) {
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
